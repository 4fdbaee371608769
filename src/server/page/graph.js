// The graph of a reviewed game: White's expected score after each move, with marks; a click goes to a move.

import { svg } from "./dom.js";

const WIDTH = 320;
const HEIGHT = 96;
/** What marks of moves are called in style sheets. */
export const MARK_CLASSES = { "?!": "inaccuracy", "?": "mistake", "??": "blunder", "only move": "only" };

/** White's expected score from that of a side, or `null`. */
const forWhite = (side, { expected }) => (expected === null || side === "white" ? expected : 1 - expected);

/** Draws the turns of a review into a picture; `ply` is shown, or `null` if none is; `go(ply)` shows another. */
export function drawGraph(picture, turns, ply, go) {
  const start = turns[0] ? forWhite(turns[0].side, turns[0].before) : null;
  const points = [start, ...turns.map(({ side, after }) => forWhite(side, after))];
  const step = WIDTH / Math.max(1, turns.length);
  const x = (i) => i * step;
  const y = (expected) => HEIGHT * (1 - expected);
  // Gaps are left where nothing has been judged yet.
  const parts = [];
  points.forEach((expected, i) => {
    if (expected === null) return;
    const point = [x(i), y(expected)];
    if (i > 0 && points[i - 1] !== null) parts.at(-1).push(point);
    else parts.push([point]);
  });
  const at = ([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`;
  const line = (part) => `M${part.map(at).join(" L")}`;
  const area = (part) => `${line(part)} L${part.at(-1)[0].toFixed(1)} ${HEIGHT} L${part[0][0].toFixed(1)} ${HEIGHT} Z`;
  const shade = (part) => svg("rect", { class: "black-share", x: part[0][0], y: 0, width: part.at(-1)[0] - part[0][0], height: HEIGHT });
  const marks = turns.flatMap((turn, i) => {
    const expected = points[i + 1];
    const kind = MARK_CLASSES[turn.mark];
    return kind && expected !== null ? [svg("circle", { class: `mark ${kind}`, cx: x(i + 1), cy: y(expected), r: kind === "only" ? 2.5 : 4 })] : [];
  });
  const strips = points.map((expected, i) => svg("rect", {
    x: x(i) - step / 2, y: 0, width: step, height: HEIGHT, class: "strip", onclick: () => go(i),
  }, svg("title", { text: i === 0 ? "Start" : `${turns[i - 1].move}${expected === null ? "" : `: ${Math.round(100 * expected)} % for White`}` })));
  picture.setAttribute("viewBox", `-6 -6 ${WIDTH + 12} ${HEIGHT + 12}`);
  picture.replaceChildren(
    svg("rect", { class: "ground", x: 0, y: 0, width: WIDTH, height: HEIGHT }),
    ...parts.map(shade),
    ...parts.map((part) => svg("path", { class: "white-share", d: area(part) })),
    svg("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    ...parts.map((part) => svg("path", { class: "curve", d: line(part) })),
    ...(ply === null ? [] : [svg("line", { class: "now", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT })]),
    ...marks,
    ...strips,
  );
}
