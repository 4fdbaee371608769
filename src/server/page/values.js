// Marks for win, draw, loss and unknown, which differ in colour, letter and shape.

import { html, svg } from "./dom.js";

const MARKS = {
  win: { letter: "W", word: "win", shape: "M0 -10.5 L10.5 8.6 H-10.5 Z", y: 6.2 },
  draw: { letter: "D", word: "draw", shape: "M-8.2 -6.7 Q-8.2 -8.2 -6.7 -8.2 H6.7 Q8.2 -8.2 8.2 -6.7 V6.7 Q8.2 8.2 6.7 8.2 H-6.7 Q-8.2 8.2 -8.2 6.7 Z", y: 4 },
  loss: { letter: "L", word: "loss", shape: "M0 10.5 L10.5 -8.6 H-10.5 Z", y: 1.6 },
  unknown: { letter: "?", word: "unknown", shape: "M0 -9 A9 9 0 1 1 0 9 A9 9 0 1 1 0 -9 Z", y: 4 },
};

/** The mark of a value as part of a picture, around the origin. */
export function valueMark(value, transform = null) {
  const { letter, shape, y } = MARKS[value];
  return svg("g", { class: `value ${value}`, transform },
    svg("path", { d: shape }),
    svg("text", { x: 0, y, text: letter }));
}

/** The mark of a value for running text, with its word for screen readers. */
export function valueBadge(value) {
  return html("span", { class: "badge", role: "img", "aria-label": MARKS[value].word },
    svg("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, valueMark(value)));
}

/** The best of some values for the player who chooses; an unknown one may still be a win. */
export function bestValue(values) {
  return ["win", "unknown", "draw", "loss"].find((value) => values.includes(value)) ?? "unknown";
}

/** "in 12 plies", or nothing. */
export function inPlies(dtw) {
  return dtw === null || dtw === undefined ? "" : `in ${dtw} ${dtw === 1 ? "ply" : "plies"}`;
}
