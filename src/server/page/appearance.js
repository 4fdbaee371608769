// The settings dialog: colours, theme, coordinates and sounds.

import { byId, html } from "./dom.js";
import { COLOURS, THEMES } from "./settings.js";
import { stoneIcon } from "./board.js";
import { valueBadge } from "./values.js";
import { LANGUAGES } from "./words.js";

export class Appearance {
  constructor(settings) {
    this.settings = settings;
    const choices = (name, words, sample) => Object.entries(words).map(([value, label]) =>
      html("label", { class: "swatch" },
        html("input", {
          type: "radio", name, value, id: `${name}-${value}`, checked: settings[name] === value,
          onchange: () => settings.set(name, value),
        }), sample(value), html("span", { text: label })));
    byId("colour-choices").replaceChildren(...choices("colours", COLOURS, (value) =>
      html("span", { class: "sample", "data-colours": value }, stoneIcon("white"), stoneIcon("black"), valueBadge("win"), valueBadge("draw"), valueBadge("loss"))));
    byId("theme-choices").replaceChildren(...choices("theme", THEMES, () => null));
    byId("language-choices").replaceChildren(...choices("language", LANGUAGES, () => null));
    // Texts are translated when they are made.
    settings.addEventListener("change", ({ detail }) => { if (detail === "language") location.reload(); });
    for (const name of ["coordinates", "sounds"]) {
      const control = byId(name);
      control.checked = settings[name];
      control.addEventListener("change", () => settings.set(name, control.checked));
    }
  }
}
