// The position editor: owns the board while it is open, and begins a game from the position.

import { gameView } from "./api.js";
import { byId } from "./dom.js";
import { Game } from "./game.js";
import { SIZES, notPosition, positionOf, readPosition, writePosition } from "./position.js";
import { setUpRules } from "./rules.js";

/** Event: `change` when the board must be redrawn. */
export class Editor extends EventTarget {
  /** `begin(game)` shows a game and closes the editor; `notify(sentence)` shows an error. */
  constructor(begin, notify) {
    super();
    Object.assign(this, { begin, notify, shown: false, stones: new Map(), toMove: "white", brush: "white", painted: null, loading: null });
    this.text = byId("edit-position");
    for (const size of SIZES) {
      for (const id of ["edit-columns", "edit-rows"]) byId(id).add(new Option(size, size));
    }
    for (const brush of document.getElementsByName("brush")) {
      brush.addEventListener("change", () => { this.brush = brush.value; });
    }
    for (const mover of document.getElementsByName("mover")) {
      mover.addEventListener("change", () => { this.toMove = mover.value; this.changed(); });
    }
    for (const id of ["edit-columns", "edit-rows"]) byId(id).addEventListener("change", () => this.resize());
    byId("edit-clear").addEventListener("click", () => { this.stones.clear(); this.changed(); });
    byId("edit-start").addEventListener("click", () => this.load(`${this.columns}x${this.rows}`, null));
    byId("edit-cancel").addEventListener("click", () => this.cancel());
    byId("edit-form").addEventListener("submit", (event) => { event.preventDefault(); this.use(); });
    this.text.addEventListener("change", () => this.type());
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      // Enter puts the typed position on the board; the button uses it.
      event.preventDefault();
      this.type();
    });
  }

  /** Opens with the position and the rules of a game. */
  open(game, view) {
    this.rules = setUpRules(game.rules);
    this.shown = true;
    document.body.classList.add("editing");
    this.take(view, positionOf(view));
    byId("edit-position").focus({ preventScroll: true });
    byId(`brush-${this.brush}`).focus({ preventScroll: true });
  }

  close() {
    if (!this.shown) return;
    this.loading?.abort();
    this.shown = false;
    document.body.classList.remove("editing");
    this.dispatchEvent(new Event("change"));
  }

  cancel() {
    this.close();
    byId("open-editor").focus();
    this.dispatchEvent(new Event("cancel"));
  }

  take(view, position) {
    const read = readPosition(position);
    Object.assign(this, { geometry: view.geometry, columns: read.columns, rows: read.rows, stones: read.stones, toMove: read.toMove });
    this.changed();
  }

  /** Loads a board, with its start position or another; false if there is no such board, `null` if another was asked for meanwhile. */
  async load(board, position) {
    this.loading?.abort();
    const { signal } = this.loading = new AbortController();
    try {
      const view = await gameView({ board, rules: this.rules }, signal);
      this.take(view, position ?? view.start);
      return true;
    } catch (error) {
      if (signal.aborted) return null;
      this.notify(error.message);
      return false;
    }
  }

  /** Changes the size of the board, with its start position. */
  async resize() {
    if (await this.load(`${byId("edit-columns").value}x${byId("edit-rows").value}`, null) === false) this.changed();
  }

  /** Puts the typed position on the board; false if it is invalid. */
  async type() {
    const read = readPosition(this.text.value);
    if (!read) {
      this.notify(notPosition(this.text.value));
      this.text.setAttribute("aria-invalid", "true");
      return false;
    }
    if (read.columns === this.columns && read.rows === this.rows) {
      Object.assign(this, { stones: read.stones, toMove: read.toMove });
      this.changed();
    } else {
      const known = await this.load(`${read.columns}x${read.rows}`, this.text.value);
      this.text.setAttribute("aria-invalid", String(known === false));
      return known === true;
    }
    return true;
  }

  changed() {
    this.text.setAttribute("aria-invalid", "false");
    this.text.value = writePosition(this.columns, this.rows, this.stones, this.toMove);
    byId("edit-columns").value = this.columns;
    byId("edit-rows").value = this.rows;
    byId(`mover-${this.toMove}`).checked = true;
    byId(`brush-${this.brush}`).checked = true;
    this.dispatchEvent(new Event("change"));
  }

  /** Begins a game from the position, if the server accepts it. */
  async use() {
    if (!await this.type()) return;
    if (!this.stones.size) {
      this.notify("The board is empty: put stones on it.");
      return;
    }
    const game = new Game({ board: `${this.columns}x${this.rows}`, position: this.text.value, rules: this.rules });
    await this.begin(game);
  }

  // Calls from touch.js.

  /** Paints a point; a stone of the brush's colour is removed. */
  press(point) {
    this.painted = this.stones.get(point) === this.brush ? "empty" : this.brush;
    this.paint(point);
    return false;
  }

  sweep(point) {
    this.paint(point);
  }

  click(point) {
    this.press(point);
  }

  paint(point) {
    if (this.painted === "empty") this.stones.delete(point);
    else this.stones.set(point, this.painted);
    this.changed();
  }

  release() {}
  drop() {}
  hover() {}

  /** The scene of the editor. */
  scene(settings) {
    return {
      columns: this.columns, rows: this.rows, lines: this.geometry.lines,
      stones: [...this.stones], marks: [], trails: [], motion: null,
      flipped: settings.flipped, coordinates: settings.coordinates,
      label: (point) => `${point}, ${this.stones.has(point) ? `${this.stones.get(point)} stone` : "empty"}`,
    };
  }
}
