// The texts around the board: players, side to move, what is possible, notices, and choices within a turn.

import { byId, capital, counted, html, other, renew, say } from "./dom.js";
import { readPosition } from "./position.js";
import { stoneIcon } from "./board.js";
import { decimal } from "./words.js";

/** How long a notice stays, in milliseconds. */
const NOTICE_TIME = 8000;

/** A sentence with a capital, unless it begins with the name of a point, and a full stop. */
export function sentence(text) {
  const trimmed = /^[a-m]\d/.test(text.trim()) ? text.trim() : capital(text.trim());
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Keys that do not hide a notice. */
const READING = ["Tab", "Shift", "Control", "Alt", "Meta"];

/** Shows notices above everything, one at a time, for a while or until the next click or key. */
export class Notices {
  constructor() {
    this.line = byId("notice");
    this.timer = null;
    document.addEventListener("pointerdown", () => this.hide(), true);
    document.addEventListener("keydown", ({ key }) => { if (!READING.includes(key)) this.hide(); }, true);
  }

  show(text) {
    clearTimeout(this.timer);
    // Shown before its text is set, so that screen readers read it out; above any dialog.
    if (!this.line.matches(":popover-open")) this.line.showPopover();
    say(this.line, sentence(text));
    this.timer = setTimeout(() => this.hide(), NOTICE_TIME);
  }

  hide() {
    clearTimeout(this.timer);
    if (this.line.matches(":popover-open")) this.line.hidePopover();
    this.line.textContent = "";
  }
}

function possibilities({ view, turn, sacrificing }) {
  if (sacrificing) return "Choose the stone to sacrifice.";
  if (turn.choice) return "Approach or withdrawal? Choose the stones to capture.";
  if (turn.steps.length) {
    if (!turn.options().length) return "";
    return turn.complete() ? "The chain can go on: choose the next point, or end the turn." : "The chain must go on.";
  }
  const words = [];
  if (view.bound) words.push("Bound by vela, this side may not capture.");
  else if (view.can_capture && !view.rules.sacrifice) words.push("A capture is compulsory.");
  if (view.block) words.push(`The stone on ${view.block} is a block for this turn.`);
  if (view.repetitions > 1) words.push(`This position has occurred ${view.repetitions} times.`);
  if (view.turns_cut) words.push("Not all moves are shown; the others can be typed.");
  if (view.turns_left !== null) words.push(`${counted(view.turns_left, "turn")} left.`);
  return words.join(" ");
}

/** Milliseconds after which the search of a computer is shown. */
const LONG = 300;

export class Status {
  constructor(controller, opponent, settings) {
    Object.assign(this, { controller, opponent, settings });
    this.line = byId("status");
    this.choices = byId("choices");
    this.thinking = byId("thinking");
    byId("move-now").addEventListener("click", () => opponent.moveNow());
    opponent.addEventListener("progress", () => this.drawThinking());
    // The ply that was shown last.
    this.ply = null;
    controller.addEventListener("view", () => this.tell());
  }

  /** Announces moves of other players to screen readers. */
  tell() {
    const { game, view } = this.controller;
    if (view.ply === this.ply) return;
    const isNext = view.ply === this.ply + 1;
    this.ply = view.ply;
    const side = other(view.to_move);
    say(byId("played"), isNext && view.ply > 0 && !game.isPerson(side) ? `${capital(side)} played ${view.history.at(-1).move}.` : "");
  }

  /** How far the computer's search is; hidden while it takes only a moment. */
  drawThinking() {
    const { progress } = this.opponent;
    this.thinking.hidden = !progress || progress.ms < LONG;
    if (this.thinking.hidden) return;
    const { depth, nodes, ms, line } = progress;
    const speed = Math.round(nodes / ms);
    const words = `Depth ${depth}, ${decimal(nodes)} positions, ${decimal(speed)} thousand a second`;
    say(this.thinking.querySelector("span"), this.settings.values ? `${words}: ${line.slice(0, 6).join(" ")}` : words);
  }

  draw() {
    this.drawSeats();
    say(this.line, this.text());
    const { turn, asked } = this.controller;
    renew(this.choices, [turn.from, turn.steps, turn.choice, asked !== null], () => this.buttons());
  }

  /** What can be done within the turn. */
  buttons() {
    const { controller } = this;
    const { turn } = controller;
    const button = (id, kind, text, onclick) => html("button", { type: "button", id, class: kind, text, onclick });
    const buttons = (turn.choice ?? []).map((option) =>
      button(null, `choice ${option.capture}`, `${capital(option.capture)}: ${option.captured.join(", ")}`, () => controller.take(option)));
    const ends = turn.steps.length && !turn.choice && turn.options().length && turn.complete();
    if (ends) buttons.push(button("end-turn", "primary", "End turn", () => controller.endTurn()));
    if ((turn.steps.length && !controller.asked) || turn.choice) {
      buttons.push(button("undo-step", null, "Undo step", () => controller.back()));
    }
    return buttons;
  }

  text() {
    const { controller } = this;
    const { view, game } = controller;
    if (game.lesson !== null && view.ply > 0) return "";
    // A computer answers right moves only.
    if (game.task && !view.result && game.isComputer(view.to_move)) return "";
    if (view.result) return sentence(view.result.text);
    const side = capital(view.to_move);
    if (game.isComputer(view.to_move)) {
      return game.paused ? `${side} to move: the computer is paused.` : `${side} to move: the computer is thinking…`;
    }
    if (game.live !== null && !game.isPerson(view.to_move)) return `${side} to move.`;
    return `${side} to move. ${possibilities(controller)}`.trim();
  }

  /** Who plays a side. */
  player(side) {
    const { game } = this.controller;
    if (game.isComputer(side)) return `Computer, level ${game.seats.levels[side]}`;
    if (game.live !== null && game.sides() !== "computers") return game.isPerson(side) ? "You" : "Friend";
    if (game.friend !== null) return side === game.friend ? "Friend" : "You";
    const name = game.rated ? null : game.tags[capital(side)];
    return name && name !== "?" ? name : "Person";
  }

  drawSeats() {
    const { controller: { view }, settings } = this;
    const { stones } = readPosition(view.position);
    const bottom = settings.flipped ? "black" : "white";
    for (const side of ["white", "black"]) {
      const seat = byId(`seat-${side}`);
      const count = [...stones.values()].filter((stone) => stone === side).length;
      seat.classList.toggle("below", side === bottom);
      seat.classList.toggle("to-move", side === view.to_move && !view.result);
      seat.querySelector(".name").replaceChildren(stoneIcon(side), html("strong", { text: capital(side) }), html("span", { class: "quiet", text: this.player(side) }));
      say(seat.querySelector(".count"), counted(count, "stone"));
    }
  }
}
