// How requests reach the program that answers them: in this page by messages to it in a worker. What it does not have is hidden.

import { CATALOG } from "./catalog.js";
import { act, workers } from "./service.js";
import { open } from "./transport.js";

/** Whether a server answers: it also has live games and builds. */
export const served = false;

/** What to say when nothing answers. */
export const SILENCE = "A part of the page could not be loaded. Check the connection and try again.";

/** Milliseconds that the host of the page may take to answer. */
const PATIENCE = 3000;

const here = (name) => new URL(name, import.meta.url).href;

/** Whether the host of the page answers. */
async function online() {
  if (!navigator.onLine) return false;
  try {
    return (await fetch(here("../service_worker.js"), { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PATIENCE) })).ok;
  } catch {
    return false;
  }
}

/** The program, with all tables or with those that are kept for use offline. */
async function begin() {
  const worker = workers?.controller;
  // A page without a service worker has come from its host just now.
  const all = !worker || await online();
  const only = all ? undefined : await act(worker, "paths");
  return { all, program: open({ worker: here("./worker.js"), program: here("./fanorona_web.js"), catalog: here(CATALOG), only }) };
}

let begun = null;

let answer;
/** Resolves with the first answer: from then on the visitor can play. */
export const answered = new Promise((resolve) => { answer = resolve; });

/** Begins again at the next request. */
async function end() {
  const ended = begun;
  begun = null;
  (await ended)?.program.close();
}

addEventListener("online", async () => { if (begun && !(await begun).all) end(); });

/** Sends a request; resolves to a `Response`. */
export async function send(path, options) {
  begun ??= begin();
  const present = begun;
  const { all, program } = await present;
  let response;
  try {
    response = await program.fetch(path, options);
  } catch (error) {
    // The program has ended meanwhile.
    if (begun !== present && error.name !== "AbortError") return send(path, options);
    throw error;
  }
  answer();
  // If a table cannot be read because the connection is lost, the request is made again with the kept tables.
  if (response.status < 500 || !all || !workers?.controller || await online()) return response;
  if (begun === present) end();
  return send(path, options);
}

/** Live games have events, and there are none. */
export const events = () => null;
