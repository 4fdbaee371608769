// Values as the player sees them, and their marks, which differ in colour, letter and shape.

import { html, svg } from "./dom.js";

const BOX = "M-8.2 -6.7 Q-8.2 -8.2 -6.7 -8.2 H6.7 Q8.2 -8.2 8.2 -6.7 V6.7 Q8.2 8.2 6.7 8.2 H-6.7 Q-8.2 8.2 -8.2 6.7 Z";

/** `bounds` are the worst and the best that it can be: 0 a loss, 1 a draw, 2 a win. */
const MARKS = {
  win: { bounds: [2, 2], letter: "W", word: "win", shape: "M0 -10.5 L10.5 8.6 H-10.5 Z", y: 6.2 },
  better: { bounds: [1, 2], letter: "D+", word: "draw or better", shape: "M0 -10.8 L9 -3 V8.2 H-9 V-3 Z", y: 4.8 },
  draw: { bounds: [1, 1], letter: "D", word: "draw", shape: BOX, y: 4 },
  unknown: { bounds: [0, 2], letter: "?", word: "unknown", shape: "M0 -9 A9 9 0 1 1 0 9 A9 9 0 1 1 0 -9 Z", y: 4 },
  worse: { bounds: [0, 1], letter: "D−", word: "draw or worse", shape: "M0 10.8 L9 3 V-8.2 H-9 V3 Z", y: 3 },
  loss: { bounds: [0, 0], letter: "L", word: "loss", shape: "M0 10.5 L10.5 -8.6 H-10.5 Z", y: 1.6 },
};

/** A value of the API as that side sees it: a bound is a draw or better for the side that does not lose. */
export function seenBy(side, value) {
  if (!value.endsWith(" does not lose")) return value;
  return value.startsWith(side) ? "better" : "worse";
}

/** Whether nothing is left open of a value of the API. */
export function isExact(value) {
  return value === "win" || value === "draw" || value === "loss";
}

/** The mark of a value as part of a picture, around the origin. */
export function valueMark(value) {
  const { letter, shape, y } = MARKS[value];
  return svg("g", { class: `value ${value}` },
    svg("path", { d: shape }),
    svg("text", { x: 0, y, text: letter }));
}

/** The mark of a value for running text, with its word for screen readers. */
export function valueBadge(value) {
  return html("span", { class: "badge", role: "img", "aria-label": MARKS[value].word },
    svg("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, valueMark(value)));
}

/** The word of a value. */
export function valueWord(value) {
  return MARKS[value].word;
}

/** The best of some values for the player who chooses. */
export function bestValue(values) {
  const [least, most] = [0, 1].map((end) => Math.max(0, ...values.map((value) => MARKS[value].bounds[end])));
  return Object.keys(MARKS).find((value) => MARKS[value].bounds[0] === least && MARKS[value].bounds[1] === most);
}

/** "in 12 plies", or nothing. */
export function inPlies(dtw) {
  return dtw === null || dtw === undefined ? "" : `in ${dtw} ${dtw === 1 ? "ply" : "plies"}`;
}
