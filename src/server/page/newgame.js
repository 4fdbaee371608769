// The dialog for a new game: players, board, and rules, each with a text and a picture.

import { served } from "./connection.js";
import { byId, html, other, say } from "./dom.js";
import { diagram } from "./diagrams.js";
import { Game } from "./game.js";
import { open } from "./dialog.js";
import { SIZES, positionOf } from "./position.js";
import { STANDARD_RULES, tableRules } from "./rules.js";
import { load, save } from "./store.js";

const PLAYERS = [["person", "Person"], ["computer", "Computer"], ...(served ? [["friend", "Friend, by a link"]] : [])];
const LEVELS = ["newcomer", "beginner", "learner", "casual", "regular", "skilled", "strong", "expert", "full strength"]
  .map((name, number) => [number + 1, `${number + 1} – ${name}`]);
const TIMES = [[200, "0.2 seconds"], [500, "half a second"], [1000, "1 second"], [3000, "3 seconds"], [10000, "10 seconds"], [30000, "30 seconds"]];

/** Rules with two options, the standard one first. */
const WAYS = [
  ["diagonals", "Diagonals", [
    ["corner", "From the corner", "a1 is a strong point, with diagonals; strong and weak points alternate. Published results and most tables use this."],
    ["centre", "From the centre", "The centre point is strong. On 9x5, 5x5 and 3x3 it makes no difference."],
  ]],
  ["continuation", "Chains of captures", [
    ["optional", "May stop", "After every capturing step the player may end the turn."],
    ["obligatory", "Must go on", "A stone that can capture again must do so."],
  ]],
  ["directions", "Directions of a chain", [
    ["not-repeated", "Not twice in a row", "A step may not go in the direction of the step just before it."],
    ["once", "Not twice in a turn", "A step may not go in the direction of any earlier step of the turn."],
  ]],
  ["stalemate", "A side that cannot move", [
    ["loss", "Loses", "A side that cannot move loses."],
    ["draw", "Draws the game", "The game is a draw."],
  ]],
];

const DEFAULTS = {
  columns: 9, rows: 5, white: "person", black: "computer", level_white: 4, level_black: 4, time: 1000,
  ...STANDARD_RULES, limited: false, clocked: false, seconds: 30,
};

function select(name, label, choices) {
  return html("label", { class: "field" }, html("span", { text: label }),
    html("select", { name }, choices.map(([value, text]) => html("option", { value, text }))));
}

function way(name, title, ways) {
  return html("fieldset", { class: "rule" }, html("legend", { text: title }), ways.map(([value, label, words]) =>
    html("label", { class: "option" }, html("input", { type: "radio", name, value }), diagram(value),
      html("strong", { text: label }), html("span", { class: "quiet words", text: words }))));
}

function extra(name, title, words, picture, more = null) {
  const id = `rule-${name}`;
  const control = more?.matches("select") ? html("span") : html("input", { type: "checkbox", name, id });
  return html("div", { class: "option" }, control, diagram(picture), html("div", {},
    html("label", { for: control.id || more.id }, html("strong", { text: title }), html("span", { class: "quiet", text: words })), more));
}

export class NewGame {
  /** `begin(game)` shows a game, `live` begins one with a friend; the controller has the present one. */
  constructor(begin, live, controller) {
    Object.assign(this, { begin, live, controller });
    this.form = byId("new-game-form");
    this.build();
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
    this.form.addEventListener("change", ({ target }) => {
      this.seat(target);
      this.adjust();
    });
  }

  build() {
    const sizes = SIZES.map((size) => [size, size]);
    const seat = (side, title) => html("fieldset", { class: "seat-choice" }, html("legend", { text: title }),
      select(side, "Played by", PLAYERS), select(`level_${side}`, "Level", LEVELS));
    const seconds = html("label", { class: "field inline" },
      html("input", { type: "number", name: "seconds", min: 0.1, max: 3600, step: 0.1, required: true }), html("span", { text: "seconds" }));
    const bound = html("select", { name: "vela", id: "rule-vela" },
      [["", "Nobody is bound"], ["white", "White is bound"], ["black", "Black is bound"]].map(([value, text]) => html("option", { value, text })));
    byId("new-game-fields").replaceChildren(
      html("div", { class: "columns" }, seat("white", "White"), seat("black", "Black")),
      html("div", { class: "columns" },
        html("fieldset", { class: "seat-choice" }, html("legend", { text: "Board, columns x rows" }),
          select("columns", "Columns", sizes), select("rows", "Rows", sizes),
          html("label", { class: "switch" }, html("input", { type: "checkbox", name: "here" }), html("span", { text: "From the position on the board" }))),
        html("fieldset", { class: "seat-choice" }, html("legend", { text: "Computer" }), select("time", "Thinks for at most", TIMES),
          html("p", { class: "quiet", text: "Lower levels see less far and judge worse. Level 9 is perfect where tables reach." }))),
      html("h3", { text: "Rules" }),
      html("p", { class: "quiet", text: "A stone steps along a line to an empty point. If it moves up to enemy stones (approach) or away from them (withdrawal), the whole run in line is captured, and the stone may go on capturing. Capturing is compulsory." }),
      ...WAYS.map((it) => way(...it)),
      html("h3", { text: "Extras" }),
      html("p", { class: "quiet", text: "Tables do not cover sacrifices and vela: where they apply, values are hidden." }),
      extra("sacrifice", "Sacrifice", "Instead of moving, give up one of your stones. It stays for the opponent's next turn as a block that ends every run of captured stones, then it is removed.", "sacrifice"),
      extra("vela", "Vela", "The winner of the last game may not capture while having more than five stones. Choose Black: White, who moves first, can only capture at the start.", "vela", bound),
      extra("limited", "Move limit", "After ten turns for each row of the board, both sides together, the game is a draw.", "limit", html("span", { class: "quiet", id: "limit-count" })),
      extra("clocked", "Time for each move", "The side that takes longer for a move loses.", "clock", seconds),
      extra("repetition", "Threefold repetition", "The third occurrence of a position is a draw.", "repetition"));
  }

  /** Opens the dialog with the last choices, except vela. */
  show() {
    const choices = { ...DEFAULTS, ...load("new-game", {}), vela: null, here: false };
    for (const control of this.form.elements) {
      if (!control.name) continue;
      const value = choices[control.name];
      if (control.type === "checkbox") control.checked = value === true;
      else if (control.type === "radio") control.checked = value === control.value;
      else control.value = value ?? "";
    }
    this.adjust();
    open("new-game");
  }

  /** A friend plays against the person at this page. */
  seat({ name }) {
    if (name !== "white" && name !== "black") return;
    const fields = this.form.elements;
    const [changed, opposite] = [fields[name], fields[other(name)]];
    if (changed.value === "friend" || opposite.value === "friend" && changed.value === "computer") opposite.value = "person";
  }

  /** Enables the fields that apply. */
  adjust() {
    const fields = this.form.elements;
    for (const side of ["white", "black"]) fields[`level_${side}`].disabled = fields[side].value !== "computer";
    fields.time.disabled = fields.white.value !== "computer" && fields.black.value !== "computer";
    // Values could be seen there of the position of a live game.
    fields.here.disabled = this.controller.game.live !== null;
    const here = fields.here.checked;
    fields.columns.disabled = fields.rows.disabled = here;
    const rows = here ? this.controller.view.geometry.rows : Number(fields.rows.value);
    fields.seconds.disabled = !fields.clocked.checked;
    say(byId("limit-count"), `On this board: ${10 * rows} turns.`);
  }

  read() {
    const choices = {};
    for (const control of this.form.elements) {
      if (!control.name || (control.type === "radio" && !control.checked)) continue;
      if (control.type === "checkbox") choices[control.name] = control.checked;
      else if (control.type === "number") choices[control.name] = control.valueAsNumber;
      else choices[control.name] = /^\d+$/.test(control.value) ? Number(control.value) : control.value;
    }
    return choices;
  }

  async start() {
    const choices = this.read();
    const { white, black, time } = choices;
    const { view } = this.controller;
    const { columns, rows } = choices.here ? view.geometry : choices;
    const rules = {
      ...tableRules(choices),
      sacrifice: choices.sacrifice, repetition: choices.repetition, vela: choices.vela || null,
      move_limit: choices.limited ? 10 * rows : null,
      move_time: choices.clocked ? Math.round(1000 * choices.seconds) : null,
    };
    const game = { board: `${columns}x${rows}`, position: choices.here ? positionOf(view) : null, rules };
    const seats = { players: { white, black }, levels: { white: choices.level_white, black: choices.level_black }, time };
    const friend = ["white", "black"].find((side) => choices[side] === "friend");
    if (!await (friend ? this.live.host(game, other(friend)) : this.begin(new Game(game, seats).rate()))) return;
    save("new-game", choices);
    byId("new-game").close();
    if (friend) this.live.invite();
  }
}
