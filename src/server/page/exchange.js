// Import and export of positions and games: links, clipboard, files.

import { gameView, parseRecord } from "./api.js";
import { byId } from "./dom.js";
import { Game } from "./game.js";
import { open } from "./dialog.js";
import { notPosition, positionOf, readPosition } from "./position.js";
import { STANDARD_RULES, ruleParts, setUpRules } from "./rules.js";

/**
 * A link to the position that is shown, or with `whole` to the game up to it and what ended it there, with rules that differ from the
 * standard. A block is encoded as the sacrifice that made it.
 */
function linkTo({ game, view }, whole) {
  const { history, start } = view;
  const { end } = game.request();
  const played = whole ? history : view.block ? history.slice(-1) : [];
  const position = [start, ...history.map((turn) => turn.position)][history.length - played.length];
  const moves = played.length ? [`moves=${played.map(({ move }) => move).join(",")}`] : [];
  const ended = whole && end ? [`end=${[end.by, end.side ?? end.winner].filter(Boolean).join("-")}`] : [];
  const parts = [`position=${position.replaceAll(" ", "_")}`, ...moves, ...ended, ...ruleParts(view.rules)];
  return `${location.origin}${location.pathname}#${parts.join("&")}`;
}

const REMEDY = "Copy the whole link again, or ask for a new one.";

/** What is said of a link after an error: that it is damaged, if the server refuses what is in it. */
export const brokenLink = ({ status, message }) => (status === 400 ? `The link is damaged or incomplete: ${message}. ${REMEDY}` : message);

/** The game in an address of the page, if there is one. */
export function gameOfAddress({ hash, search }) {
  const asked = new URLSearchParams(hash.length > 1 ? hash.slice(1) : search);
  const position = asked.get("position");
  if (position === null) {
    if (hash.length > 1) throw new Error(`The link has no position. ${REMEDY}`);
    return null;
  }
  if (!readPosition(position)) throw new Error(`The link has "${position}", which is not a valid position. ${REMEDY}`);
  const unknown = [...asked.keys()].find((name) => !["position", "moves", "end"].includes(name) && !(name in STANDARD_RULES));
  // A misspelt rule would open a different game.
  if (unknown) throw new Error(`The link has the parameter ${unknown}, which is not a rule. ${REMEDY}`);
  const rules = {};
  for (const [name, standard] of Object.entries(STANDARD_RULES)) {
    if (!asked.has(name)) continue;
    rules[name] = ruleOf(name, standard, asked.get(name));
  }
  const [by, who] = asked.get("end")?.split("-") ?? [];
  const end = by ? { by, [by === "adjudication" ? "winner" : "side"]: who } : null;
  return gameOfPosition(position, rules, asked.get("moves")?.split(",") ?? [], end);
}

const SHAPES = { boolean: /^(true|false)$/, number: /^\d+$/ };

/** The value of a rule in a link. Words are read by the server. */
function ruleOf(name, standard, text) {
  const kind = name === "move_limit" || name === "move_time" ? "number" : typeof standard;
  if (!(kind in SHAPES)) return text;
  if (!SHAPES[kind].test(text)) throw new Error(`The link has ${name}=${text}, which is no value of that rule. ${REMEDY}`);
  return kind === "number" ? Number(text) : text === "true";
}

function gameOfPosition(text, rules, moves = [], end = null) {
  const read = readPosition(text);
  if (!read) throw new Error(notPosition(text));
  return waiting(new Game({ board: `${read.columns}x${read.rows}`, position: text.trim().replaceAll("_", " "), rules, moves, end }));
}

/** The clock of a game that is opened waits until somebody continues it. */
function waiting(game) {
  game.paused = game.rules.move_time !== null;
  return game;
}

export class Exchange {
  /** `begin(game, words)` shows a game; `notify(sentence)` shows the outcome. */
  constructor(controller, begin, notify) {
    Object.assign(this, { controller, begin, notify });
    for (const id of ["link", "position", "record"]) {
      byId(`copy-${id}`).addEventListener("click", () => this.copy(byId(`share-${id}`)));
    }
    byId("use-position").addEventListener("click", () => this.usePosition(byId("share-position").value));
    byId("use-record").addEventListener("click", () => this.use(byId("share-record").value));
    byId("save-record").addEventListener("click", () => this.saveFile());
    byId("open-record").addEventListener("click", () => byId("record-file").click());
    byId("record-file").addEventListener("change", (event) => this.openFile(event.target));
    byId("share-whole").addEventListener("change", () => this.drawLink());
    document.addEventListener("paste", (event) => {
      if (event.target.matches("input, textarea")) return;
      const text = event.clipboardData.getData("text");
      if (text.trim()) this.use(text);
    });
  }

  drawLink() {
    byId("share-link").value = linkTo(this.controller, byId("share-whole").checked);
  }

  show() {
    const { view } = this.controller;
    byId("share-whole").disabled = !view.history.length;
    this.drawLink();
    byId("share-position").value = positionOf(view);
    byId("share-record").value = view.record;
    open("exchange");
    this.drawRecord();
  }

  /** The record has all lines and the moves after the position that is shown. */
  async drawRecord() {
    const { game, view } = this.controller;
    if (game.lines.length === 1 && game.atEnd()) return;
    try {
      const { record } = await gameView(game.whole());
      if (this.controller.view === view) byId("share-record").value = record;
    } catch (error) {
      this.notify(error.message);
    }
  }

  async copy(field) {
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without a secure origin only the old interface works.
      field.select();
      if (!document.execCommand("copy")) {
        this.notify("The browser does not allow copying. The text is selected: copy it by hand.");
        return;
      }
    }
    this.notify("Copied.");
  }

  usePosition(text) {
    return this.start(() => gameOfPosition(text, setUpRules(this.controller.game.rules)));
  }

  /** Opens a position, a link to one, or a record. */
  use(text) {
    if (readPosition(text)) return this.usePosition(text);
    if (/^https?:\S+#position=\S+$/.test(text.trim())) return this.start(() => gameOfAddress(new URL(text.trim())), brokenLink);
    return this.start(async () => waiting(new Game((await parseRecord(text)).game)));
  }

  /** Shows the game that `read` returns. `words(error)` is the message if that fails. */
  async start(read, words) {
    try {
      if (await this.begin(await read(), words)) byId("exchange").close();
    } catch (error) {
      this.notify(error.message);
    }
  }

  saveFile() {
    const { view } = this.controller;
    const file = new Blob([byId("share-record").value], { type: "text/plain" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `fanorona-${view.board}-${new Date().toISOString().slice(0, 10)}.pgn`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async openFile(input) {
    const [file] = input.files;
    if (file) await this.use(await file.text());
    // So that the same file can be chosen again.
    input.value = "";
  }
}
