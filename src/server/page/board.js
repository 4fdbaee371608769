// Draws the board: lines, stones, marks, coordinates, and the points for pointer and keyboard.

import { html, label, svg } from "./dom.js";
import { pointName, pointNames, pointPlace } from "./position.js";
import { valueMark } from "./values.js";

const STEP = 40;
const RADIUS = 14.5;
/** Distance from the outermost points to the edges of the picture; numbers on the left and letters below need more. */
const EDGE = 24;
const NUMBERED_EDGE = 32;
const LETTERED_EDGE = 33;
/** The least scale of the picture on the screen, so that points are 26 pixels wide. */
const LEAST_SCALE = 0.65;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  constructor(root) {
    this.root = root;
    this.layers = Object.fromEntries(["ground", "trail", "below", "stones", "above", "points"].map((name) => {
      // Only the points are read out; their labels describe what is drawn under them.
      const layer = svg("g", { class: name, "aria-hidden": name === "points" ? null : "true" });
      return [name, layer];
    }));
    root.append(...Object.values(this.layers));
    this.points = new Map();
    this.stones = new Map();
    this.scene = null;
  }

  /** The place of a point in the picture. */
  place(name) {
    const [column, row] = pointPlace(name);
    const { columns, rows, flipped } = this.scene;
    const across = flipped ? columns - 1 - column : column;
    const down = flipped ? row : rows - 1 - row;
    return [this.left + STEP * across, EDGE + STEP * down];
  }

  /** The point nearest to a place in the window; `null` off the board. */
  pointAt(clientX, clientY) {
    const box = this.root.getBoundingClientRect();
    const scale = this.root.viewBox.baseVal.width / box.width;
    const { columns, rows, flipped } = this.scene;
    const column = Math.round(((clientX - box.left) * scale - this.left) / STEP);
    const row = rows - 1 - Math.round(((clientY - box.top) * scale - EDGE) / STEP);
    if (column < 0 || row < 0 || column >= columns || row >= rows) return null;
    return flipped ? pointName(columns - 1 - column, rows - 1 - row) : pointName(column, row);
  }

  /** Draws a scene, see scene.js. */
  draw(scene) {
    const before = this.scene;
    this.scene = scene;
    const shape = ({ columns, rows, flipped, coordinates, lines }) =>
      JSON.stringify([columns, rows, flipped, coordinates, lines]);
    if (!before || shape(before) !== shape(scene)) this.lay();
    const { trail, below, stones, above } = this.layers;
    trail.replaceChildren(...scene.trails.map((it) => this.trail(it)));
    this.putStones(stones, scene.stones);
    const isBelow = ({ kind }) => kind === "movable" || kind === "selected";
    below.replaceChildren(...scene.marks.filter(isBelow).map((mark) => this.mark(mark)));
    above.replaceChildren(...scene.marks.filter((mark) => !isBelow(mark)).map((mark) => this.mark(mark)));
    const draggable = new Set(scene.marks.filter(isBelow).map(({ point }) => point));
    for (const [name, point] of this.points) {
      label(point, scene.label(name));
      point.classList.toggle("grip", draggable.has(name));
    }
    if (scene.motion) this.move(scene.motion);
  }

  /** Draws the static parts: background, lines, coordinates, and the points. */
  lay() {
    const { columns, rows, lines, coordinates, flipped } = this.scene;
    this.left = coordinates ? NUMBERED_EDGE : EDGE;
    const width = STEP * (columns - 1) + this.left + EDGE;
    const height = STEP * (rows - 1) + EDGE + (coordinates ? LETTERED_EDGE : EDGE);
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    // The greatest width depends on the height, the smallest on what a finger can hit.
    document.documentElement.style.setProperty("--ratio", width / height);
    document.documentElement.style.setProperty("--least", `${width * LEAST_SCALE}px`);
    const marks = [svg("rect", { class: "table", width, height, rx: 7 })];
    marks.push(svg("path", {
      class: "lines",
      d: lines.map(([a, b]) => `M${this.place(a).join(" ")}L${this.place(b).join(" ")}`).join(""),
    }));
    if (coordinates) {
      for (let column = 0; column < columns; column += 1) {
        const x = this.left + STEP * (flipped ? columns - 1 - column : column);
        marks.push(svg("text", { x, y: height - 4, text: pointName(column, 0)[0] }));
      }
      for (let row = 0; row < rows; row += 1) {
        const y = EDGE + STEP * (flipped ? row : rows - 1 - row);
        marks.push(svg("text", { x: 8.5, y: y + 3.7, text: row + 1 }));
      }
    }
    this.layers.ground.replaceChildren(...marks);
    this.layers.stones.replaceChildren();
    this.stones = new Map();
    const focused = this.layers.points.contains(document.activeElement) ? document.activeElement.dataset.point : null;
    this.points = new Map(pointNames(columns, rows).map((name) => [name, this.point(name)]));
    this.layers.points.replaceChildren(...this.points.values());
    this.hold(pointName(Math.floor(columns / 2), Math.floor(rows / 2)));
    // The focus stays on its point if the board is only flipped or lettered.
    if (this.points.has(focused)) this.focus(focused);
  }

  /** Stones that stay are kept as they are, so that a stone on its way, or in the hand, is not replaced by one that is at rest. */
  putStones(layer, stones) {
    const kept = (point, side) => {
      const stone = this.stones.get(point);
      return stone?.classList.contains(side) ? stone : null;
    };
    const present = new Map(stones.map(([point, side]) => [point, kept(point, side) ?? this.stone(point, side)]));
    const staying = new Set(present.values());
    for (const stone of [...layer.children]) if (!staying.has(stone)) stone.remove();
    layer.append(...[...staying].filter((stone) => stone.parentNode !== layer));
    this.stones = present;
  }

  point(name) {
    const [x, y] = this.place(name);
    return svg("g", { class: "point", role: "button", tabindex: -1, "data-point": name },
      svg("rect", { x: x - STEP / 2, y: y - STEP / 2, width: STEP, height: STEP }),
      svg("circle", { class: "ring", cx: x, cy: y, r: RADIUS + 3.5 }));
  }

  stone(name, side) {
    const [x, y] = this.place(name);
    return svg("g", { class: `stone ${side}`, transform: `translate(${x} ${y})` },
      svg("circle", { class: "shade", cy: 1.6, r: RADIUS }),
      svg("circle", { class: "body", r: RADIUS }),
      svg("circle", { class: "inner", r: RADIUS * 0.58 }));
  }

  mark({ kind, point, value, how }) {
    const [x, y] = this.place(point);
    const at = { transform: `translate(${x} ${y})`, class: `mark ${kind} ${how ?? ""}` };
    const cross = (size) => svg("path", { d: `M${-size} ${-size}L${size} ${size}M${-size} ${size}L${size} ${-size}` });
    switch (kind) {
      case "movable":
        return svg("g", at, svg("circle", { r: RADIUS + 2.5 }));
      case "selected":
        return svg("g", at, svg("circle", { r: RADIUS + 3.5 }));
      case "target":
        return svg("g", at, value ? valueMark(value) : svg("circle", { r: 7 }));
      case "visited":
        return svg("g", at, svg("circle", { r: 6 }), svg("circle", { class: "dot", r: 1.8 }));
      case "block":
        return svg("g", at, svg("rect", { x: -8, y: -8, width: 16, height: 16, rx: 2 }), cross(8));
      case "victim":
        return how === "approach" || how === "withdrawal"
          ? svg("g", at, svg("circle", { r: RADIUS + 1 }), svg("circle", { class: "disc", r: 9.5 }),
            svg("text", { y: 4.6, text: how === "approach" ? "A" : "W" }))
          : svg("g", at, svg("circle", { r: RADIUS + 1 }), how === "sure" ? cross(6) : null);
      default: // a stone that the last move captured
        return svg("g", at, cross(4.5));
    }
  }

  /** A path of steps with an arrow head at its end. */
  trail({ kind, path }) {
    const places = path.map((point) => this.place(point));
    const [[x0, y0], [x1, y1]] = places.slice(-2);
    const length = Math.hypot(x1 - x0, y1 - y0);
    const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
    const back = kind === "best" ? 6 : RADIUS + 5;
    const [tipX, tipY] = [x1 - dx * back, y1 - dy * back];
    const side = (sign) => `${tipX - 8 * dx + sign * 4.5 * dy} ${tipY - 8 * dy - sign * 4.5 * dx}`;
    places[places.length - 1] = [tipX - 6 * dx, tipY - 6 * dy];
    return svg("g", { class: `trail ${kind}` },
      svg("path", { d: `M${places.map((place) => place.join(" ")).join("L")}` }),
      svg("path", { class: "head", d: `M${tipX} ${tipY}L${side(1)}L${side(-1)}Z` }));
  }

  /** Animates the stone at the end of a path along it. */
  move(path) {
    const stone = this.stones.get(path.at(-1));
    if (!stone || still.matches) return;
    stone.parentNode.append(stone);
    const frames = path.map((point) => ({ transform: `translate(${this.place(point).map((n) => `${n}px`).join(",")})` }));
    stone.animate(frames, { duration: 160 * (path.length - 1), easing: "ease-in-out" });
  }

  /** Draws a stone at the pointer, or at its point if no place is given. */
  lift(name, clientX, clientY) {
    const stone = this.stones.get(name);
    if (!stone) return;
    let [x, y] = this.place(name);
    if (clientX !== undefined) {
      const box = this.root.getBoundingClientRect();
      const scale = this.root.viewBox.baseVal.width / box.width;
      [x, y] = [(clientX - box.left) * scale, (clientY - box.top) * scale];
      this.layers.stones.append(stone);
    }
    stone.classList.toggle("lifted", clientX !== undefined);
    stone.setAttribute("transform", `translate(${x} ${y})`);
  }

  /** Makes a point the one that the tab key reaches. */
  hold(name) {
    for (const [other, point] of this.points) point.setAttribute("tabindex", other === name ? 0 : -1);
  }

  /** The point that an arrow key leads to from another. */
  neighbour(name, key) {
    const [x, y] = this.place(name);
    const [dx, dy] = ARROWS[key];
    const box = this.root.getBoundingClientRect();
    const scale = box.width / this.root.viewBox.baseVal.width;
    return this.pointAt(box.left + (x + dx * STEP) * scale, box.top + (y + dy * STEP) * scale);
  }

  focus(name) {
    this.hold(name);
    this.points.get(name)?.focus();
  }
}

/** A stone for running text. */
export function stoneIcon(side) {
  return html("span", { class: "stone-icon", "aria-hidden": "true" },
    svg("svg", { viewBox: "-17 -17 34 34" }, svg("g", { class: `stone ${side}` },
      svg("circle", { class: "body", r: RADIUS }), svg("circle", { class: "inner", r: RADIUS * 0.58 }))));
}
