// Small pictures: of the rules in the dialog for a new game, and of positions.

import { svg } from "./dom.js";
import { pointPlace } from "./position.js";

const STEP = 24;
const EDGE = 13;

const at = ([column, row]) => [EDGE + STEP * column, EDGE + STEP * row];

/** The lines of a board whose points with an even (or, with `parity` 1, odd) sum of column and row are strong; row 0 is on top. */
function lines(columns, rows, parity) {
  const steps = [[1, 0, false], [0, 1, false], [1, 1, true], [-1, 1, true]];
  let path = "";
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      for (const [right, down, diagonal] of steps) {
        const [x, y] = [column + right, row + down];
        const inside = x >= 0 && x < columns && y < rows;
        if (!inside || (diagonal && (column + row) % 2 !== parity)) continue;
        path += `M${at([column, row]).join(" ")}L${at([x, y]).join(" ")}`;
      }
    }
  }
  return svg("path", { class: "lines", d: path });
}

function stone(side, place) {
  const [x, y] = at(place);
  return svg("g", { class: `stone ${side}`, transform: `translate(${x} ${y})` },
    svg("circle", { class: "body", r: 8.5 }), svg("circle", { class: "inner", r: 5 }));
}

function arrow(from, to, kind = "") {
  const [[x0, y0], [x1, y1]] = [at(from), at(to)];
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const [tx, ty] = [x1 - dx * 2, y1 - dy * 2];
  return svg("g", { class: `arrow ${kind}` },
    svg("path", { d: `M${x0 + dx * 9} ${y0 + dy * 9}L${tx - dx * 5} ${ty - dy * 5}` }),
    svg("path", { class: "head", d: `M${tx} ${ty}L${tx - 7 * dx + 4 * dy} ${ty - 7 * dy - 4 * dx}L${tx - 7 * dx - 4 * dy} ${ty - 7 * dy + 4 * dx}Z` }));
}

function cross(place) {
  const [x, y] = at(place);
  return svg("path", { class: "cross", d: `M${x - 5} ${y - 5}L${x + 5} ${y + 5}M${x - 5} ${y + 5}L${x + 5} ${y - 5}` });
}

function box(place) {
  const [x, y] = at(place);
  return svg("rect", { class: "box", x: x - 10.5, y: y - 10.5, width: 21, height: 21, rx: 3 });
}

function spot(place) {
  const [x, y] = at(place);
  return svg("circle", { class: "spot", cx: x, cy: y, r: 5.5 });
}

function word(text, x, y) {
  return svg("text", { x, y, text });
}

function picture(columns, rows, ...parts) {
  const [width, height] = [columns, rows].map((count) => STEP * (count - 1) + 2 * EDGE);
  return svg("svg", { class: "diagram", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, ...parts);
}

const PICTURES = {
  corner: () => picture(5, 3, lines(5, 3, 0), spot([0, 2])),
  centre: () => picture(5, 3, lines(5, 3, 1), spot([2, 1])),
  optional: () => picture(5, 3, lines(5, 3, 0), stone("white", [0, 2]), arrow([0, 2], [1, 1]),
    stone("black", [2, 0]), cross([2, 0]), arrow([1, 1], [2, 1], "maybe"), stone("black", [3, 1])),
  obligatory: () => picture(5, 3, lines(5, 3, 0), stone("white", [0, 2]), arrow([0, 2], [1, 1]),
    stone("black", [2, 0]), cross([2, 0]), arrow([1, 1], [2, 1]), stone("black", [3, 1]), cross([3, 1])),
  "not-repeated": () => picture(5, 3, ...zigzag(), arrow([1, 1], [2, 1]), stone("black", [3, 1]), cross([3, 1])),
  once: () => picture(5, 3, ...zigzag(), arrow([1, 1], [2, 1], "maybe"), stone("black", [3, 1]), cross([2, 1])),
  loss: () => picture(5, 3, lines(3, 3, 0), ...shutIn(), word("0–1", 100, 38)),
  draw: () => picture(5, 3, lines(3, 3, 0), ...shutIn(), word("½–½", 100, 38)),
  sacrifice: () => picture(5, 3, lines(5, 3, 0), stone("white", [0, 1]), arrow([0, 1], [1, 1]), stone("black", [2, 1]), cross([2, 1]),
    stone("black", [3, 1]), box([3, 1]), stone("black", [4, 1])),
  vela: () => picture(5, 3, lines(5, 3, 0), stone("white", [1, 1]), arrow([1, 1], [2, 1], "maybe"), stone("black", [3, 1]), cross([2, 1]),
    stone("white", [0, 0]), stone("white", [1, 0]), stone("white", [0, 2]), stone("white", [1, 2])),
  limit: () => picture(5, 3, word("1.", 16, 20), word("2.", 16, 37), word("⋮", 16, 54), word("50.", 46, 37), arrow([1.75, 1], [2.9, 1]),
    word("½–½", 101, 37)),
  clock: () => picture(5, 3, svg("circle", { class: "face", cx: 61, cy: 37, r: 24 }), svg("path", { class: "hand", d: "M61 20V37L73 44" })),
  repetition: () => picture(5, 3, lines(5, 3, 0), stone("white", [1, 1]), arrow([1, 0.75], [2.2, 0.75]), arrow([2.5, 1.25], [1.35, 1.25]),
    word("3×", 98, 37)),
};

/** A capture to the right and one upwards. */
function zigzag() {
  return [lines(5, 3, 0), stone("white", [0, 2]), arrow([0, 2], [1, 2]), stone("black", [2, 2]), cross([2, 2]),
    arrow([1, 2], [1, 1]), stone("black", [1, 0]), cross([1, 0])];
}

function shutIn() {
  return [stone("white", [0, 2]), stone("black", [0, 1]), stone("black", [1, 1]), stone("black", [1, 2])];
}

/** The picture of a position that was read. */
export function positionPicture({ columns, rows, stones }, diagonals) {
  const parity = diagonals === "centre" ? ((columns - 1) / 2 + (rows - 1) / 2) % 2 : 0;
  const placed = [...stones].map(([point, side]) => {
    const [column, row] = pointPlace(point);
    return stone(side, [column, rows - 1 - row]);
  });
  return picture(columns, rows, lines(columns, rows, parity), ...placed);
}

/** The picture of that name. */
export function diagram(name) {
  return PICTURES[name]();
}
