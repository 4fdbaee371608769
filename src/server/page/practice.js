// Practice: draws tasks from the tables, judges every move of the player, shows hints, and goes on to the next task.

import { position, practice } from "./api.js";
import { addStyle, byId, counted, html, say } from "./dom.js";
import { Game } from "./game.js";
import { PracticeChoice } from "./practice_choice.js";
import { sentence } from "./status.js";

/** The player has White; the computer plays by the tables. */
const SEATS = { players: { white: "person", black: "computer" }, levels: { white: 9, black: 9 }, time: 1000 };
const GONE = {
  "win draw": "That throws the win away: now it is a draw.",
  "win loss": "That throws the win away, and loses.",
  "draw loss": "That gives the draw away: now White loses.",
};

addStyle("practice");

/** What a task asks for. */
function taskText({ kind, value, dtw, turns, own_turns: own, enemies }) {
  if (kind === "only") return `One of ${turns} moves ${value === "win" ? "wins" : "holds the draw"}. Find it.`;
  if (kind === "draw") return `Hold the draw for ${counted(own, "move")}.`;
  return dtw === null ? `Win against ${counted(enemies, "stone")}. Do not let the win go.` : `Win. Best play takes ${counted((dtw + 1) / 2, "move")}.`;
}

const movesLeft = (count) => (count === 1 ? "1 move is left." : `${count} moves are left.`);

/** What a right move has done. */
function praise({ kind, own_turns: own }, { dtw, best, moves }) {
  if (kind === "draw") return `Right: the draw holds. ${movesLeft(own - moves)}`;
  if (dtw === null) return "Right: still a win.";
  const slower = best !== null && dtw > best ? " There was a quicker way." : "";
  return `Right. ${movesLeft(dtw / 2)}${slower}`;
}

export class Practice {
  /** `begin(game)` shows a game, `back()` the visitor's own game or a new one. */
  constructor({ controller, opponent, lookup, settings, begin, back, notify }) {
    Object.assign(this, { controller, opponent, lookup, settings, begin, back, notify });
    this.card = byId("practice");
    this.choice = new PracticeChoice(() => this.next());
    // Why there is no task, and why a move could not be judged; the position that is being judged.
    this.trouble = null;
    this.failure = null;
    this.judging = null;
    this.asked = 0;
    this.title = html("h2", { id: "practice-title", text: "Practise" });
    this.task = html("p", { id: "practice-task" });
    this.verdict = html("p", { id: "practice-verdict", role: "status" });
    this.row = html("div", { id: "practice-buttons", class: "row end" });
    const leave = html("button", {
      type: "button", id: "practice-leave", class: "icon", "aria-label": "Leave practice", title: "Leave practice", text: "×", onclick: () => this.leave(),
    });
    this.card.replaceChildren(html("div", { class: "row head" }, this.title, leave), this.task, this.verdict, this.row);
    controller.addEventListener("view", () => this.update());
    if (controller.view) this.update();
  }

  /** Begins with a task for the board in use. */
  async open() {
    const { view, game } = this.controller;
    if (!view || game.task) return;
    await this.choice.open(view);
    await this.next();
  }

  leave() {
    // A task that is on its way is not shown.
    this.asked += 1;
    this.trouble = null;
    if (this.controller.game.task) this.back();
    else this.draw();
  }

  /** Shows another task. */
  async next() {
    this.asked += 1;
    const { asked } = this;
    const { board, rules, kind, difficulty, three_against_five } = this.choice.chosen;
    try {
      const task = await practice({ board, rules, kind, difficulty, three_against_five });
      if (asked !== this.asked) return;
      this.trouble = null;
      const game = new Game({ board, rules, position: task.position }, SEATS);
      const enemies = task.position.split("B").length - 1;
      // Whether a move was wrong or a hint was given; whether it is solved; the position that a right move has led to; the last verdict.
      game.task = { ...task, three_against_five, enemies, helped: false, done: false, passed: null, verdict: null };
      if (await this.begin(game)) this.settings.set("flipped", false);
    } catch (error) {
      if (asked !== this.asked) return;
      this.trouble = error.message;
      this.choice.offer(error.status === 404);
      this.draw();
    }
  }

  update() {
    const { game, view } = this.controller;
    this.failure = null;
    if (game.task) {
      this.choice.follow(game);
      const isOver = view.result !== null && view.to_move === "white";
      if (isOver) this.end();
      else if (view.to_move === "black" && game.task.verdict?.position !== view.position) this.judge();
    }
    this.draw();
  }

  /** Says whether the move that led to the position is right. */
  async judge() {
    const { game, view } = this.controller;
    const { task } = game;
    if (this.judging === view) return;
    this.judging = view;
    this.failure = null;
    const before = [view.start, ...view.history.map((turn) => turn.position)].at(-2);
    try {
      const answer = await position({ ...view, position: before });
      if (this.controller.view !== view) return;
      const [best] = answer.moves;
      const made = answer.moves.find((move) => move.position === view.position);
      if (!made || made.value === "unknown") throw new Error("The tables do not know what this move is worth.");
      const moves = (view.ply + 1) / 2;
      // A win that ends in a repetition is none.
      const isDrawn = view.result !== null && view.result.winner === null;
      const right = made.value === answer.value && !(isDrawn && task.value === "win");
      task.verdict = {
        position: view.position, ply: view.ply, right, moves, lost: `${answer.value} ${isDrawn ? "draw" : made.value}`, dtw: made.dtw, best: best.dtw,
      };
      if (!right) task.helped = true;
      const enough = task.own_turns !== null && moves >= task.own_turns;
      if (right && (enough || view.result)) this.solve();
      else if (right) task.passed = view.position;
    } catch (error) {
      if (this.controller.view !== view) return;
      this.failure = error.message;
    } finally {
      if (this.judging === view) this.judging = null;
    }
    this.controller.keep();
    this.draw();
    if (task.passed !== view.position || task.done) return;
    if (game.paused) this.controller.pause(false);
    else this.opponent.update();
  }

  /** The game is over after a move of the computer: drawn by repetition. */
  end() {
    const { task } = this.controller.game;
    if (task.value === "draw") this.solve();
    else task.helped = true;
    this.controller.keep();
  }

  solve() {
    const { task } = this.controller.game;
    if (task.done) return;
    task.done = true;
    this.choice.count(task);
  }

  /** Goes back to where the player was to move last. */
  takeBack() {
    const { ply, to_move: side } = this.controller.view;
    return this.controller.go(ply - (side === "white" ? 2 : 1));
  }

  /** Shows the best move in the position that the player is to move in. */
  async hint() {
    if (this.controller.view.to_move === "black") await this.takeBack();
    const { game, view } = this.controller;
    try {
      const move = await this.lookup.best();
      if (this.controller.view !== view) return;
      game.task.helped = true;
      this.controller.keep();
      this.lookup.setHint(move);
      say(this.verdict, `Best move: ${move}.`);
    } catch (error) {
      if (error.name !== "AbortError") this.notify(error.message);
    }
  }

  draw() {
    const { game, view } = this.controller;
    const { task } = game;
    document.body.classList.toggle("practising", task !== null);
    this.card.hidden = task === null && this.trouble === null;
    this.choice.draw(!this.card.hidden, this.trouble !== null);
    if (this.card.hidden) return;
    say(this.task, this.trouble !== null ? "" : taskText(task));
    say(this.verdict, this.words(task, view));
    this.drawButtons(task, view);
  }

  words(task, view) {
    if (this.trouble !== null) return sentence(this.trouble);
    if (this.failure !== null) return sentence(this.failure);
    const { verdict } = task;
    if (task.done) return task.helped ? "Solved." : "Solved at the first try!";
    if (view.result) return "The position came up for the third time: a draw. The win is gone.";
    if (!verdict || (verdict.ply !== view.ply && !(verdict.right && verdict.ply === view.ply - 1))) return "";
    return verdict.right ? praise(task, verdict) : GONE[verdict.lost];
  }

  drawButtons(task, view) {
    const button = (id, text, kind, onclick) => html("button", { type: "button", id, class: kind, text, onclick });
    const held = this.row.contains(document.activeElement) ? document.activeElement.id : null;
    if (this.trouble !== null) {
      this.row.replaceChildren(button("practice-next", "Try again", "", () => this.next()));
      return;
    }
    const wrong = !task.done && view.ply > 0 && (view.result !== null || (view.to_move === "black" && task.verdict?.ply === view.ply && !task.verdict.right));
    const stuck = this.failure !== null || (this.controller.game.paused && task.passed === view.position);
    const mayMove = !task.done && !view.result && view.to_move === "white";
    this.row.replaceChildren(...[
      wrong && button("practice-back", "Take back", "primary", () => this.takeBack()),
      wrong && view.to_move === "black" && button("practice-better", "Better move", "", () => this.hint()),
      mayMove && button("practice-hint", "Hint", "", () => this.hint()),
      stuck && button("practice-on", "Continue", "primary", () => this.judge()),
      button("practice-next", task.done ? "Next task" : "Skip", task.done ? "primary" : "", () => this.next()),
    ].filter(Boolean));
    if (held) (document.getElementById(held) ?? this.row.firstElementChild).focus();
  }
}
