// Keeps things in the browser's storage; where that is forbidden or full, they last as long as the page.

const PREFIX = "fanorona.";
const unsaved = new Map();

/** What was kept under that name, or `fallback`. */
export function load(name, fallback) {
  if (unsaved.has(name)) return structuredClone(unsaved.get(name));
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name)) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Keeps a value under that name; `null` forgets it. */
export function save(name, value) {
  unsaved.delete(name);
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    unsaved.set(name, structuredClone(value));
  }
}
