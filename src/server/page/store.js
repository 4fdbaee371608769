// Saves values in the browser's storage; if that is forbidden or full, until the page is closed.

const PREFIX = "fanorona.";
const unsaved = new Map();

/** The value saved under a name, or `fallback`. */
export function load(name, fallback) {
  if (unsaved.has(name)) return structuredClone(unsaved.get(name));
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name)) ?? fallback;
  } catch {
    return fallback;
  }
}

/** The names that begin like that and have a value. */
export function names(prefix) {
  const unsavedNames = [...unsaved.keys()];
  try {
    const begin = PREFIX + prefix;
    const savedNames = Object.keys(localStorage).filter((name) => name.startsWith(begin)).map((name) => name.slice(PREFIX.length));
    return [...new Set([...savedNames, ...unsavedNames.filter((name) => name.startsWith(prefix))])];
  } catch {
    return unsavedNames.filter((name) => name.startsWith(prefix));
  }
}

/** Saves a value under a name; `null` removes it. */
export function save(name, value) {
  unsaved.delete(name);
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    if (value !== null) unsaved.set(name, structuredClone(value));
  }
}
