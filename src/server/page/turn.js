// A turn being composed step by step, among the legal turns of the view.

const same = (a, b) => a.to === b.to && a.capture === b.capture;

export class Turn {
  /** Begins with no stone selected. */
  constructor(turns) {
    this.turns = turns;
    this.from = null;
    this.steps = [];
    // The two captures of one step, where the player has to choose.
    this.choice = null;
  }

  /** The points of stones that have a turn. */
  movable() {
    return new Set(this.turns.map((turn) => turn.from));
  }

  /** Where the moving stone stands now. */
  at() {
    return this.steps.at(-1)?.to ?? this.from;
  }

  /** The points it has stood on, the present one last. */
  path() {
    return this.from === null ? [] : [this.from, ...this.steps.map((step) => step.to)];
  }

  /** The turns that begin like this. */
  candidates(steps = this.steps) {
    return this.turns.filter((turn) => turn.from === this.from && turn.steps.length >= steps.length
      && steps.every((step, i) => same(step, turn.steps[i])));
  }

  /** The steps that can follow, each once. */
  options() {
    const options = [];
    if (this.from === null) return options;
    for (const turn of this.candidates()) {
      const step = turn.steps[this.steps.length];
      if (step && !options.some((option) => same(option, step))) options.push(step);
    }
    return options;
  }

  /** The options that lead to a point. */
  optionsTo(point) {
    return this.options().filter((option) => option.to === point);
  }

  /** The legal turn that ends after these steps, if there is one. */
  complete() {
    return this.steps.length ? this.candidates().find((turn) => turn.steps.length === this.steps.length) ?? null : null;
  }

  select(point) {
    this.from = point;
    this.steps = [];
    this.choice = null;
  }

  take(step) {
    this.steps.push(step);
    this.choice = null;
  }

  /** Takes back the latest choice: of a capture, of a step, or of the stone; returns whether there was one. */
  back() {
    if (this.choice) this.choice = null;
    else if (this.steps.length) this.steps.pop();
    else if (this.from !== null) this.from = null;
    else return false;
    return true;
  }

  cancel() {
    this.select(null);
  }

  /** Takes the steps of a turn that was being composed, as far as they are legal. */
  resume({ from, steps }) {
    if (!this.movable().has(from)) return;
    this.select(from);
    for (const step of steps) {
      const option = this.options().find((it) => same(it, step));
      if (!option) return;
      this.take(option);
    }
  }

  /**
   * What to ask the server about a point that cannot be chosen: the stone, its path, and where it should go. If no stone is selected,
   * the question is whether the one on the point may move.
   */
  question(point) {
    const { from, steps } = this;
    const path = steps.map(({ to, capture }) => `${to}${{ approach: "A", withdrawal: "W" }[capture] ?? ""}`);
    return [from ?? point, path, from === null ? null : point];
  }

  /** The stones captured so far. */
  captured() {
    return this.steps.flatMap((step) => step.captured);
  }
}
