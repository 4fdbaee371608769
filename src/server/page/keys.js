// Keyboard shortcuts of the whole page: undo, redo, start, end, best move, step back, flip. Also where the focus is.

import { anyOpen } from "./dialog.js";
import { byId } from "./dom.js";

const CONTROLS = "input, select, textarea, button, a, summary";

/** `actions` has a function for each of `undo`, `redo`, `start`, `end`, `best`, `back`, `flip`; `isEditing()` whether the game is hidden. */
export function listenToKeys(isEditing, actions) {
  document.addEventListener("keydown", (event) => {
    if (anyOpen() || event.defaultPrevented) return;
    const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
    const command = event.ctrlKey || event.metaKey;
    const action = chosen(event, typing, command);
    if (!action || (action !== "flip" && action !== "back" && isEditing())) return;
    event.preventDefault();
    actions[action]();
  });
  // A button clicked by a pointer loses the focus, so that the space bar plays moves again. It is done in the capture phase, so
  // that a dialog does not restore the focus.
  document.addEventListener("click", (event) => {
    if (event.detail > 0) event.target.closest("button, input[type=checkbox]")?.blur();
  }, true);
}

/** Gives the focus to the board when what has it disappears or is disabled. Dialogs restore the focus themselves. */
export function keepFocus() {
  let holder = null;
  const isUsable = () => !holder.disabled && holder.getClientRects().length > 0;
  document.addEventListener("focusin", ({ target }) => { holder = target.closest("dialog") ? null : target; });
  // What is removed is still there when it loses the focus.
  document.addEventListener("focusout", () => queueMicrotask(() => {
    if (holder && holder !== document.activeElement && isUsable()) holder = null;
  }));
  new MutationObserver(() => {
    if (!holder || isUsable()) return;
    holder = null;
    byId("board").querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ["class", "disabled", "hidden"] });
}

function chosen({ key, target, shiftKey, altKey }, typing, command) {
  if (altKey || typing) return null;
  if (command) {
    const letter = key.toLowerCase();
    return letter === "z" ? (shiftKey ? "redo" : "undo") : letter === "y" ? "redo" : null;
  }
  // The space bar belongs to buttons, switches and points that have the focus.
  if (key === " ") return target.closest(CONTROLS) ? null : "best";
  return { ArrowLeft: "undo", ArrowRight: "redo", Home: "start", End: "end", Escape: "back", b: "best", f: "flip" }[key] ?? null;
}
