// Saves values in the browser's storage; if that is forbidden or full, until the page is closed.

const PREFIX = "fanorona.";
const unsaved = new Map();
/** What each window has for itself. A new one begins with what was saved last. */
const OWN = ["game", "aside"];

try {
  for (const name of OWN) sessionStorage[PREFIX + name] ??= localStorage[PREFIX + name] ?? null;
} catch {
  // Saving is forbidden, or there is no room.
}

/** The value saved under a name, or `fallback`. With `own` it is that of this window, otherwise the one that any window saved last. */
export function load(name, fallback, own = OWN.includes(name)) {
  if (unsaved.has(name)) return structuredClone(unsaved.get(name));
  try {
    return JSON.parse((own ? sessionStorage : localStorage).getItem(PREFIX + name)) ?? fallback;
  } catch {
    return fallback;
  }
}

/** The names that begin like that and have a value. */
export function names(prefix) {
  const all = new Set(unsaved.keys());
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) all.add(name.slice(PREFIX.length));
  } catch {
    // Saving is forbidden.
  }
  return [...all].filter((name) => name.startsWith(prefix));
}

/** Saves a value under a name; `null` removes it. */
export function save(name, value) {
  unsaved.delete(name);
  try {
    if (OWN.includes(name)) sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    if (value !== null) unsaved.set(name, structuredClone(value));
  }
}
