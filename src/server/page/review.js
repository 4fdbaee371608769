// The review of a game: a graph, every mistake with a better line to step through, and a summary for each side.

import { review } from "./api.js";
import { addStyle, byId, counted, html, say } from "./dom.js";
import { MARK_CLASSES, drawGraph } from "./graph.js";
import { inPlies } from "./values.js";
import { decimal } from "./words.js";

const SOURCES = { table: "tables", proof: "proof", search: "search", rules: "rules" };

addStyle("review");

/** The value of a position in words, for the side that moves. */
function valueText({ value, dtw, source, score, depth, expected }) {
  if (expected === null) return "not reviewed yet";
  if (score === null) return `${value} ${inPlies(dtw || null)}`.trim() + ` (${SOURCES[source]})`;
  const lead = `${score < 0 ? "−" : "+"}${decimal(Math.abs(score) / 100, 2)} at depth ${depth}`;
  return source === null ? lead : `${value} (${SOURCES[source]}), ${lead}`;
}

/** A mark of a move; `null` for none. */
function badge(mark) {
  return mark ? html("span", { class: `review-mark ${MARK_CLASSES[mark]}`, text: mark }) : null;
}

/** Event: `marks` when marks of moves have changed. */
export class ReviewPanel extends EventTarget {
  /** `begin(game)` shows another game, `notify(sentence)` a message. */
  constructor(controller, begin, notify) {
    super();
    Object.assign(this, { controller, begin, notify });
    this.game = null;
    this.turns = [];
    this.summaries = null;
    this.progress = null;
    this.aborter = null;
    this.begun = false;
    // The turn whose better line was stepped through.
    this.better = null;
    byId("review-stop").addEventListener("click", () => (this.aborter ? this.stop() : this.close()));
    byId("review-return").addEventListener("click", () => this.go(this.better?.ply ?? this.game.moves.length));
    controller.addEventListener("view", () => {
      const { rated, live } = controller.game;
      // Another game that is played takes the place of the review; beside one to look at it stays.
      if (this.begun && (rated || live !== null) && this.line() === -1) this.close();
      else this.draw();
    });
  }

  /** Reviews all moves of the game that is shown. */
  async start() {
    if (!this.controller.view) return;
    if (this.controller.game.live !== null) {
      this.notify("A live game can be reviewed when it is over.");
      return;
    }
    const game = this.controller.game.copy();
    game.go(Infinity);
    if (!game.moves.length) {
      this.notify("There is no move to review yet.");
      return;
    }
    this.stop();
    const aborter = new AbortController();
    Object.assign(this, { game, turns: [], summaries: null, progress: null, aborter, begun: true, better: null });
    this.draw();
    byId("review-panel").scrollIntoView({ block: "nearest" });
    try {
      await review(game.request(), aborter.signal, (line) => { if (this.aborter === aborter) this.take(line); });
    } catch (error) {
      if (aborter.signal.aborted) return;
      this.notify(`The review is not complete. ${error.message}`);
    }
    if (this.aborter !== aborter) return;
    this.aborter = null;
    this.draw();
  }

  /** Takes a line of the answer. */
  take(line) {
    for (const turn of line.turns ?? line.review.turns) this.turns[turn.ply - 1] = turn;
    const { white, black } = line.review ?? line;
    this.summaries = { white, black };
    this.progress = line.review ? null : line;
    this.draw();
    this.dispatchEvent(new Event("marks"));
  }

  /** Ends a review; what is done stays. */
  stop() {
    this.aborter?.abort();
    this.aborter = null;
    this.draw();
  }

  close() {
    this.stop();
    this.begun = false;
    this.turns = [];
    this.draw();
    this.dispatchEvent(new Event("marks"));
  }

  /** The line of the game that is shown that begins with the reviewed moves; -1 if there is none. */
  line() {
    const { game, view } = this.controller;
    const beginning = ({ board, position, rules }) => JSON.stringify([board, position, rules]);
    if (!this.begun || !view || beginning(game) !== beginning(this.game)) return -1;
    return game.lines.findIndex(({ moves }) => this.game.moves.every((move, i) => move === moves[i]));
  }

  /** The reviewed moves that lead to the position that is shown; `null` if it is another. */
  at() {
    const { game } = this.controller;
    const isShared = this.line() !== -1 && game.moves.slice(0, game.at).every((move, i) => move === this.game.moves[i]);
    return isShared && game.at <= this.game.moves.length ? game.at : null;
  }

  /** Shows the reviewed game after so many moves. */
  go(ply) {
    const line = this.line();
    if (line !== -1) {
      this.controller.go(ply, line);
      return;
    }
    const game = this.reviewed();
    game.go(ply);
    this.begin(game);
  }

  /** A copy of the reviewed game to look at. It is not for the counters, so that a game that goes on is put aside for it. */
  reviewed() {
    return Object.assign(this.game.copy(), { rated: false, paused: true });
  }

  /** Shows a position of a better line, after `count` of its moves, with the rest to go on in; the game keeps all lines. */
  step(turn, count) {
    this.better = turn;
    const line = this.line();
    const game = line === -1 ? this.reviewed() : Object.assign(this.controller.game.copy(), { paused: true });
    game.go(turn.ply - 1, Math.max(0, line));
    turn.better.line.forEach((move) => game.push(move, null));
    game.go(turn.ply - 1 + count);
    if (line === -1) this.begin(game);
    else this.controller.show(game);
  }

  /** The mark of a move of some lines, for the list of moves. */
  mark(lines, ply) {
    return lines.includes(this.line()) ? badge(this.turns[ply]?.mark) : null;
  }

  draw() {
    const { view } = this.controller;
    if (!view) return;
    byId("review-panel").hidden = !this.begun;
    if (!this.begun) return;
    say(byId("review-stop"), this.aborter ? "Stop" : "Close");
    const shown = this.at();
    byId("review-return").hidden = shown !== null;
    drawGraph(byId("review-graph"), this.turns, shown, (to) => this.go(to));
    const { progress } = this;
    const bar = byId("review-progress");
    bar.hidden = !this.aborter;
    bar.max = progress?.to_search || 1;
    bar.value = progress?.searched ?? 0;
    const left = progress?.seconds_left;
    say(byId("review-left"), this.aborter
      ? `${progress ? `${progress.searched} of ${progress.to_search} positions searched` : "Looking up…"}${left ? `, ${Math.ceil(left)} s left` : ""}`
      : "");
    byId("review-now").replaceChildren(...this.moveParts(shown === null ? this.better : this.turns[shown - 1]));
    byId("review-mistakes").replaceChildren(...this.turns.filter(({ better }) => better).map((turn) => this.row(turn)));
    // Counts would leave out the moves that are not searched yet.
    byId("review-summary").replaceChildren(...(this.summaries && !this.aborter ? ["white", "black"].map((side) => this.summary(side)) : []),
      ...(progress && !this.aborter ? [html("p", { class: "quiet", text: "Not all positions have been searched." })] : []));
  }

  /** What the review says of the move that is shown. */
  moveParts(turn) {
    if (!turn) return [html("p", { class: "quiet", text: "Click the graph or a move to see what it was worth." })];
    const fact = turn.loss && !turn.fact ? " The loss is an estimate by a search, not proved." : "";
    return [
      html("p", {}, html("strong", { class: "notation", text: this.name(turn) }), " ", badge(turn.mark)),
      html("p", { class: "quiet", text: `Before: ${valueText(turn.before)}. After: ${valueText(turn.after)}.${fact}` }),
      ...(turn.better ? [html("p", { class: "line" }, html("span", { class: "quiet", text: "Better: " }), ...this.lineParts(turn))] : []),
    ];
  }

  lineParts(turn) {
    return turn.better.line.flatMap((move, i) => [
      html("button", { type: "button", class: "notation", title: "Show the line up to here", onclick: () => this.step(turn, i + 1), text: move }), " ",
    ]);
  }

  /** A move with its number. */
  name({ ply, side, move }) {
    const place = ply - 1 + (this.game.sideAt(0) === "black" ? 1 : 0);
    return `${Math.floor(place / 2) + 1}${side === "white" ? "." : "…"} ${move}`;
  }

  row(turn) {
    return html("li", {}, html("button", { type: "button", class: "move", onclick: () => this.go(turn.ply) },
      html("span", { class: "notation", text: this.name(turn) }), badge(turn.mark),
      html("span", { class: "quiet", text: `better ${turn.better.move}` })));
  }

  summary(side) {
    const { moves, inaccuracies, mistakes, blunders, only_moves: only, average_loss: loss } = this.summaries[side];
    const average = loss === null ? "" : `, ${decimal(loss, 3)} points lost on average`;
    const errors = `${counted(inaccuracies, "inaccuracy", "inaccuracies")} (?!), ${counted(mistakes, "mistake")} (?), ${counted(blunders, "blunder")} (??)`;
    const text = `${counted(moves, "move")}, ${errors}, ${counted(only, "only move")}${average}`;
    return html("p", {}, html("strong", { text: side === "white" ? "White" : "Black" }), html("span", { class: "quiet", text: ` ${text}` }));
  }
}
