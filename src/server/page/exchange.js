// Links, the clipboard and files: how positions and games come in and go out.

import { parseRecord } from "./api.js";
import { byId } from "./dom.js";
import { Game, STANDARD_RULES } from "./game.js";
import { open } from "./dialog.js";
import { readPosition } from "./position.js";

/** A link to the position of a view, with what differs from the standard rules. A block is shown by the sacrifice that made it. */
export function linkTo(view) {
  const rules = Object.entries(view.rules).filter(([name, value]) => value !== STANDARD_RULES[name]);
  const position = view.block ? view.history.at(-2)?.position ?? view.start : view.position;
  const moves = view.block ? [["moves", view.history.at(-1).move]] : [];
  const parts = [["position", position.replaceAll(" ", "_")], ...moves, ...rules].map(([name, value]) => `${name}=${value}`);
  return `${location.origin}${location.pathname}#${parts.join("&")}`;
}

/** The game that the address of the page asks for, if it asks for one. */
export function gameOfAddress() {
  const asked = new URLSearchParams(location.hash.length > 1 ? location.hash.slice(1) : location.search);
  if (!asked.has("position")) return null;
  const unknown = [...asked.keys()].find((name) => !["position", "moves"].includes(name) && !(name in STANDARD_RULES));
  // A misspelt rule would give another game.
  if (unknown) throw new Error(`The link asks for ${unknown}, which is none of the rules.`);
  const rules = {};
  for (const [name, standard] of Object.entries(STANDARD_RULES)) {
    if (!asked.has(name)) continue;
    const value = asked.get(name);
    const isNumber = name === "move_limit" || name === "move_time";
    rules[name] = typeof standard === "boolean" ? value === "true" : isNumber ? Number(value) : value;
  }
  return gameOfPosition(asked.get("position"), rules, asked.get("moves")?.split(",") ?? []);
}

function gameOfPosition(text, rules, moves = []) {
  const read = readPosition(text);
  if (!read) throw new Error(`This is no position: ${text}. One looks like 3/1B1/W1W w, ranks from the top.`);
  return new Game({ board: `${read.columns}x${read.rows}`, position: text.trim().replaceAll("_", " "), rules, moves });
}

export class Exchange {
  /** `begin(game)` puts a game on the controller; `tell(sentence)` tells how it went. */
  constructor(controller, begin, tell) {
    Object.assign(this, { controller, begin, tell });
    for (const id of ["link", "position", "record"]) {
      byId(`copy-${id}`).addEventListener("click", () => this.copy(byId(`share-${id}`)));
    }
    byId("use-position").addEventListener("click", () => this.use(byId("share-position").value));
    byId("use-record").addEventListener("click", () => this.use(byId("share-record").value));
    byId("save-record").addEventListener("click", () => this.saveFile());
    byId("open-record").addEventListener("click", () => byId("record-file").click());
    byId("record-file").addEventListener("change", (event) => this.openFile(event.target));
    document.addEventListener("paste", (event) => {
      if (event.target.matches("input, textarea")) return;
      const text = event.clipboardData.getData("text");
      if (text.trim()) this.use(text);
    });
  }

  show() {
    const { view } = this.controller;
    byId("share-link").value = linkTo(view);
    byId("share-position").value = view.position;
    byId("share-record").value = view.record;
    open("exchange");
  }

  async copy(field) {
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without a secure origin there is only the old way.
      field.select();
      if (!document.execCommand("copy")) {
        this.tell("The browser does not let the page copy. The text is selected: copy it by hand.");
        return;
      }
    }
    this.tell("Copied.");
  }

  /** Takes a position or a record. */
  async use(text) {
    try {
      let game;
      if (readPosition(text)) game = gameOfPosition(text, this.controller.game.rules);
      else game = new Game((await parseRecord(text)).game);
      if (await this.begin(game)) byId("exchange").close();
    } catch (error) {
      this.tell(error.message);
    }
  }

  saveFile() {
    const { view } = this.controller;
    const file = new Blob([view.record], { type: "text/plain" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `fanorona-${view.board}-${new Date().toISOString().slice(0, 10)}.pgn`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async openFile(input) {
    const [file] = input.files;
    if (file) await this.use(await file.text());
    // The same file can be chosen again.
    input.value = "";
  }
}
