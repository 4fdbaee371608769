// Which tasks to practise: kind, difficulty, board, three against five; what was solved; and builds where tables are missing.

import { boardTables, buildOffers, startBuild } from "./api.js";
import { byId, html, say } from "./dom.js";
import { latestBuild } from "./latest_build.js";
import { boardKey, boardLine, tableRules } from "./rules.js";
import { sentence } from "./status.js";
import { load, save } from "./store.js";

const KINDS = { win: "Win", draw: "Hold the draw", only: "Find the only move" };
const DIFFICULTIES = { easy: "Easy", medium: "Medium", hard: "Hard" };
/** The stones of three against five. */
const EIGHT = 8;

export class PracticeChoice {
  /** `next()` shows another task. */
  constructor(next) {
    this.next = next;
    this.card = byId("practice-choice");
    this.chosen = { kind: "win", difficulty: "easy", three_against_five: false, ...load("practice-choice", {}) };
    this.boards = [];
    // How far a build is, where it is shown.
    this.line = null;
    this.make();
    latestBuild.addEventListener("change", () => this.drawBuild());
    latestBuild.addEventListener("end", () => this.goOn());
  }

  make() {
    const select = (id, title, names) => html("label", { class: "field" }, html("span", { text: title }),
      html("select", { id, onchange: () => this.choose() }, Object.entries(names).map(([value, text]) => html("option", { value, text }))));
    const five = html("input", { type: "checkbox", role: "switch", id: "practice-five", onchange: () => this.choose() });
    this.legend = html("p", { class: "quiet", text: "Telo noho dimy, the ending of the legend: a prince studied it while the messenger who called him to the throne stood waiting, and lost the kingdom." });
    this.offers = html("div", { id: "practice-build", class: "row" });
    this.solved = html("tbody");
    const heads = ["", ...Object.values(DIFFICULTIES)].map((text) => html("th", { scope: "col", text }));
    this.card.replaceChildren(
      this.offers,
      html("div", { class: "fields" }, select("practice-kind", "Task", KINDS), select("practice-difficulty", "Difficulty", DIFFICULTIES), select("practice-board", "Board", {})),
      html("label", { class: "switch" }, five, html("span", { text: "Three against five" })), this.legend,
      html("table", { id: "practice-solved", class: "solved" }, html("caption", { text: "Solved (at the first try)" }), html("thead", {}, html("tr", {}, heads)), this.solved),
      html("button", { type: "button", id: "practice-clear", text: "Clear", onclick: () => { save("practice", null); this.drawSolved(); } }));
  }

  /** Chooses the board of a view, and reads which others have tables. */
  async open({ board, rules }) {
    this.take({ board, rules: tableRules(rules) });
    await this.list();
  }

  async list() {
    try {
      this.boards = (await boardTables()).filter(({ stones }) => stones > 0);
    } catch {
      // The board in use can be practised on all the same.
      this.boards = [];
    }
    this.drawBoards();
  }

  /** Takes the choice of a game that was saved. */
  follow({ board, rules, task }) {
    if (this.chosen.board) return;
    const { kind, difficulty, three_against_five } = task;
    this.take({ board, rules: tableRules(rules), kind, difficulty, three_against_five });
    this.list();
  }

  take(parts) {
    this.chosen = { ...this.chosen, ...parts };
    const { kind, difficulty, three_against_five } = this.chosen;
    byId("practice-kind").value = kind;
    byId("practice-difficulty").value = difficulty;
    byId("practice-five").checked = three_against_five;
    this.drawBoards();
  }

  drawBoards() {
    const all = [...this.boards];
    if (!all.some((board) => boardKey(board) === boardKey(this.chosen))) all.unshift(this.chosen);
    byId("practice-board").replaceChildren(...all.map((board) =>
      html("option", { value: boardKey(board), text: boardLine(board) })));
    byId("practice-board").value = boardKey(this.chosen);
  }

  /** The fields were changed. */
  choose() {
    const [board, rules] = JSON.parse(byId("practice-board").value);
    const [kind, difficulty] = ["kind", "difficulty"].map((name) => byId(`practice-${name}`).value);
    const three_against_five = byId("practice-five").checked;
    this.chosen = { board, rules, kind, difficulty, three_against_five };
    save("practice-choice", { kind, difficulty, three_against_five });
    this.next();
  }

  /** Counts a task that was solved. */
  count({ kind, difficulty, three_against_five, helped }) {
    const counts = load("practice", {});
    const key = [three_against_five ? "five" : "all", kind, difficulty].join(" ");
    const { solved = 0, first = 0 } = counts[key] ?? {};
    counts[key] = { solved: solved + 1, first: first + (helped ? 0 : 1) };
    save("practice", counts);
  }

  draw(shown, troubled) {
    this.card.hidden = !shown;
    this.legend.hidden = !byId("practice-five").checked;
    if (!troubled) this.offers.replaceChildren();
    this.drawSolved();
  }

  drawSolved() {
    const counts = load("practice", {});
    const row = (room, kind) => {
      const cells = Object.keys(DIFFICULTIES).map((difficulty) => counts[`${room} ${kind} ${difficulty}`]);
      if (room === "five" && !cells.some(Boolean)) return null;
      const name = room === "five" ? `${KINDS[kind]}, three against five` : KINDS[kind];
      const text = (cell) => (cell ? `${cell.solved} (${cell.first})` : "–");
      return html("tr", {}, html("th", { scope: "row", text: name }), cells.map((cell) => html("td", { text: text(cell) })));
    };
    this.solved.replaceChildren(...["all", "five"].flatMap((room) => Object.keys(KINDS).map((kind) => row(room, kind))).filter(Boolean));
    byId("practice-clear").disabled = !Object.keys(counts).length;
  }

  /** Offers to build tables of the board, where that may help; while a build runs, it is shown instead. */
  async offer(mayHelp) {
    this.offers.replaceChildren();
    if (!mayHelp) return;
    if (latestBuild.isRunning()) {
      this.showBuild();
      return;
    }
    const { chosen } = this;
    const { board, rules, three_against_five } = chosen;
    let offers;
    try {
      offers = await buildOffers({ board, rules });
    } catch {
      return;
    }
    // Another board may have been chosen meanwhile.
    if (chosen !== this.chosen) return;
    const wanted = three_against_five && offers.offers.some(({ stones }) => stones === EIGHT) ? EIGHT : offers.recommended;
    if (!offers.allowed || !wanted) return;
    const build = () => {
      this.showBuild();
      latestBuild.act(() => startBuild({ board, rules }, { stones: wanted }));
    };
    this.offers.replaceChildren(html("button", { type: "button", id: "practice-start-build", class: "primary", text: `Build tables to ${wanted} stones`, onclick: build }));
  }

  /** Shows the latest build in place of an offer. */
  showBuild() {
    this.line = html("p", { class: "quiet", role: "status" });
    this.offers.replaceChildren(this.line);
    if (latestBuild.isRunning()) this.drawBuild();
  }

  /** Says how far the build is, or why it has ended early. */
  drawBuild() {
    if (!this.line?.isConnected) return;
    const failure = latestBuild.failure();
    if (latestBuild.isRunning()) say(this.line, [latestBuild.title(), latestBuild.percent()].filter(Boolean).join(", "));
    else if (failure) say(this.line, sentence(failure));
  }

  /** After a build, goes on with a task, unless it failed or something else was chosen meanwhile. */
  async goOn() {
    await this.list();
    if (this.line?.isConnected && !latestBuild.failure()) this.next();
  }
}
