// How the page looks and what it shows: applied at once, and remembered.

import { load, save } from "./store.js";

const DEFAULTS = { colours: "wood", theme: "auto", coordinates: true, flipped: false, values: true };

/** The sets of colours, with what they are called. */
export const COLOURS = {
  wood: "Wood, ivory and ebony",
  slate: "Slate, white and black",
  distinct: "Colour-blind: orange and blue",
  contrast: "High contrast",
};

/** The themes, with what they are called. */
export const THEMES = { auto: "As the system has it", light: "Light", dark: "Dark" };

/** Tells by an event `change` that a setting has changed. */
export class Settings extends EventTarget {
  constructor() {
    super();
    Object.assign(this, DEFAULTS, load("settings", {}));
    this.apply();
  }

  set(name, value) {
    this[name] = value;
    save("settings", Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, this[key]])));
    this.apply();
    this.dispatchEvent(new CustomEvent("change", { detail: name }));
  }

  /** Tells the style sheets. */
  apply() {
    const { dataset } = document.documentElement;
    dataset.colours = this.colours;
    dataset.theme = this.theme;
  }
}
