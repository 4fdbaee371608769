// Appearance and display settings: applied at once, and saved.

import { load, save } from "./store.js";

const DEFAULTS = { colours: "wood", theme: "auto", coordinates: true, flipped: false, values: true, sounds: false, language: "auto" };

/** The colour sets and their names. */
export const COLOURS = {
  wood: "Wood, ivory and ebony",
  slate: "Slate, white and black",
  distinct: "Colour-blind: orange and blue",
  contrast: "High contrast",
};

/** The themes and their names. */
export const THEMES = { auto: "Match system", light: "Light", dark: "Dark" };

/** Event: `change` with the name of the setting. */
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

  /** Applies the settings to the style sheets. */
  apply() {
    const { dataset } = document.documentElement;
    dataset.colours = this.colours;
    dataset.theme = this.theme;
  }
}
