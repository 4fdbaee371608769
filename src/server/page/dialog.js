// Dialogs: opening, closing, and questions with two answers.

import { byId, html } from "./dom.js";

/** Connects the closing buttons of all dialogs; a click outside a dialog closes it too. */
export function prepareDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    // Text that is selected beyond the edge of a dialog ends in a click outside it.
    let down = null;
    dialog.addEventListener("pointerdown", ({ target }) => { down = target; });
    dialog.addEventListener("click", ({ target }) => {
      if ((target === dialog && down === dialog) || target.closest("[data-close]")) dialog.close();
    });
  }
}

/** Opens the dialog of that id. */
export function open(id) {
  const dialog = byId(id);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

/** Whether a dialog is open. */
export function anyOpen() {
  return document.querySelector("dialog[open]") !== null;
}

/** Asks a question; resolves to true for `yes`. */
export function ask(question, yes, no) {
  const dialog = byId("question");
  return new Promise((resolve) => {
    let answer = false;
    const button = (text, value, kind) => html("button", {
      type: "button", class: kind, text, onclick: () => { answer = value; dialog.close(); },
    });
    dialog.replaceChildren(html("div", { class: "sheet" },
      html("p", { id: "question-text", text: question }),
      html("div", { class: "row end" }, button(no, false, ""), button(yes, true, "primary"))));
    dialog.addEventListener("close", () => resolve(answer), { once: true });
    // A new question replaces one that is open, which stays unanswered.
    if (!dialog.open) dialog.showModal();
  });
}
