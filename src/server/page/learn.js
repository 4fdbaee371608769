// Lessons: shows a step at a time on the board, says whether its goal is reached, and offers itself on the first visit.

import { byId, html, say } from "./dom.js";
import { Game } from "./game.js";
import { LESSONS } from "./lessons.js";
import { readPosition } from "./position.js";
import { load, save } from "./store.js";

/** The first game: the visitor has White against a newcomer. */
const FIRST = { players: { white: "person", black: "computer" }, levels: { white: 1, black: 1 }, time: 1000 };

export class Learn {
  /** `begin(game)` shows a game, `back()` the visitor's own game or a new one. */
  constructor(controller, begin, back) {
    Object.assign(this, { controller, begin, back });
    this.card = byId("lesson");
    byId("open-learn").addEventListener("click", () => this.open(this.next()));
    byId("lesson-leave").addEventListener("click", () => back());
    byId("learn-accept").addEventListener("click", () => this.open(0));
    byId("learn-play").addEventListener("click", () => this.play("9x5"));
    byId("learn-decline").addEventListener("click", () => this.decline());
    controller.addEventListener("view", () => this.draw());
  }

  /** The first lesson that has not been done; the first of all once all have. */
  next() {
    const done = load("lessons", []);
    return Math.max(0, LESSONS.findIndex((_, i) => !done.includes(i)));
  }

  /** Shows a lesson. */
  open(number) {
    const { position } = LESSONS[number];
    const { columns, rows } = readPosition(position);
    const game = new Game({ board: `${columns}x${rows}`, position });
    game.lesson = number;
    return this.begin(game);
  }

  /** Begins the first game; the lessons are not offered again. */
  play(board) {
    save("learn-declined", true);
    return this.begin(new Game({ board }, FIRST).rate());
  }

  decline() {
    save("learn-declined", true);
    this.draw();
  }

  draw() {
    const { game, view } = this.controller;
    const number = game.lesson;
    document.body.classList.toggle("learning", number !== null);
    // It is not offered again to those who have begun a lesson or said no.
    const isNew = !load("learn-declined", false) && !load("lessons", []).length && number === null;
    byId("learn-offer").hidden = !isNew;
    this.card.hidden = number === null;
    if (number === null) return;
    const lesson = LESSONS[number];
    const played = view.history[0]?.move;
    const reached = played !== undefined && (lesson.moves?.includes(played) ?? true);
    if (reached) save("lessons", [...new Set([...load("lessons", []), number])]);
    say(byId("lesson-title"), lesson.title);
    say(byId("lesson-place"), `Step ${number + 1} of ${LESSONS.length}`);
    say(byId("lesson-task"), lesson.task);
    const verdict = played === undefined ? "" : reached ? `Right! ${lesson.done}` : lesson.again ?? "That is a legal move, but not the one of this step.";
    say(byId("lesson-verdict"), verdict);
    this.drawButtons(number, played !== undefined, reached);
  }

  drawButtons(number, hasPlayed, reached) {
    const isLast = number === LESSONS.length - 1;
    const button = (id, text, kind, onclick) => html("button", { type: "button", id, class: kind, text, onclick });
    // A game that waits goes on.
    const isFree = load("aside", null) === null;
    const row = byId("lesson-buttons");
    const held = row.contains(document.activeElement);
    row.replaceChildren(...[
      number > 0 && button("lesson-before", "Back", "", () => this.open(number - 1)),
      hasPlayed && button("lesson-again", "Try again", reached ? "" : "primary", () => this.open(number)),
      !isLast && button("lesson-next", reached ? "Next step" : "Skip", reached ? "primary" : "", () => this.open(number + 1)),
      isLast && reached && button("lesson-end", "Finish", isFree ? "" : "primary", () => this.back()),
      isLast && reached && isFree && button("lesson-play", "Play on 5x5", "primary", () => this.play("5x5")),
    ].filter(Boolean));
    if (held) row.lastElementChild?.focus();
  }
}
