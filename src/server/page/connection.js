// How requests reach the program that answers them: here by HTTP. The page without a server has another file of this name.

/** Whether a server answers: it also has live games and builds. */
export const served = true;

/** What to say when nothing answers. */
export const SILENCE = "The server does not respond. Is `fanorona serve` still running?";

/** Sends a request; resolves to a `Response`. */
export const send = (path, options) => fetch(path, options);

/** The events of a path, as an `EventSource`. */
export const events = (path) => new EventSource(path);
