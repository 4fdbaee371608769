// Requests to the server; every failure becomes an error with a sentence.

import { SILENCE, events, send } from "./connection.js";
import { tableRules } from "./rules.js";

/** A failed request: `message` is a sentence for the user, `status` the HTTP status, 0 without a response. */
class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/** Awaits a step of a request; a lost connection becomes an `ApiError`. */
async function reached(step) {
  try {
    return await step;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, SILENCE);
  }
}

/** The body of a response as JSON. */
async function parsed(path, response) {
  const text = await reached(response.text());
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError(response.status, `The response to ${path.split("?")[0]} is not valid JSON (status ${response.status}).`);
  }
  if (!response.ok) {
    const message = body?.error?.message ?? `The server refused ${path.split("?")[0]} (status ${response.status}).`;
    throw new ApiError(response.status, message);
  }
  return body;
}

const ask = async (path, options) => parsed(path, await reached(send(path, options)));

function posting(body, signal) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
}

const post = (path, body, signal) => ask(path, posting(body, signal));

function tableQuery(view) {
  const position = view.position.replaceAll(" ", "_");
  return new URLSearchParams({ position, ...tableRules(view.rules) });
}

const rulesQuery = (board) => new URLSearchParams(board.rules);

/** The boards and rules that have tables or certificates. */
export const boardTables = () => ask("/api/tables");

/** The counts of the tables of a board. */
export const statistics = (board) => ask(`/api/${board.board}/stats?${rulesQuery(board)}`);

/** The zugzwangs of the slices of few stones of a board. */
export const zugzwangs = (board) => ask(`/api/${board.board}/zugzwangs?${rulesQuery(board)}`);

/** A task for practice, drawn from the tables of a board. */
export const practice = (request) => post("/api/practice", request);

/** The certificates of a board. */
export const certificates = (board) => ask(`/api/${board.board}/certificates?${rulesQuery(board)}`);

/** The view of a game: its state and its legal turns. */
export const gameView = (game, signal) => post("/api/game", game, signal);

/** The move of a computer of that level, which thinks for at most `time` milliseconds. */
export const reply = (game, level, time, signal) => post("/api/game/reply", { ...game, level, time }, signal);

/** Posts a request that is answered line by line; `each(line)` returns whether a line is the last. */
async function stream(path, body, signal, each) {
  const response = await reached(send(path, posting(body, signal)));
  if (!response.ok) return parsed(path, response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reached(reader.read());
    if (done) throw new ApiError(0, `The server ended its answer to ${path} early.`);
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines.map((it) => JSON.parse(it))) {
      if (line.error) throw new ApiError(line.error.status, line.error.message);
      if (each(line)) return line;
    }
  }
}

/** The same as `reply`, with a call of `progress` for each depth of the search. */
export const watch = (game, level, time, signal, progress) =>
  stream("/api/game/watch", { ...game, level, time }, signal, (line) => {
    if (line.move) return true;
    progress(line);
    return false;
  });

/** The review of a game, with a call of `progress` for each line of the answer, the last one included. */
export const review = (game, signal, progress) =>
  stream("/api/game/review", game, signal, (line) => {
    progress(line);
    return line.review !== undefined;
  });

/** Whether a computer of that level agrees to a draw. */
export const drawAnswer = (game, level) => post("/api/game/draw", { ...game, level });

/** Why the stone that went from `from` along `path` may not go to `to`. */
export const whyNot = (game, from, path, to) => post("/api/game/why", { ...game, from, path, to });

/** Begins a live game from a request; resolves to its keys. */
export const beginLive = (game) => post("/api/live", game);

/** The state of the live game of a key. */
export const liveState = (key) => ask(`/api/live/${key}`);

/** The states of the live game of a key, now and after every change. */
export const liveEvents = (key) => events(`/api/live/${key}/events`);

/** What a player does in a live game; resolves to its state. */
export const liveAct = (key, action) => post(`/api/live/${key}`, action);

/** Parses a game record. */
export const parseRecord = (record) => post("/api/record", { record });

/** What tables and proofs know of the position of a view and of its moves. */
export const position = (view, signal) => ask(`/api/${view.board}?${tableQuery(view)}`, { signal });

/** Best play from the position of a view. */
export const bestLine = (view, signal) => ask(`/api/${view.board}/line?${tableQuery(view)}`, { signal });

/** The same as `position` after a search for the value, of at most `time` milliseconds. */
export const search = (view, time, signal) =>
  post("/api/search", { board: view.board, rules: tableRules(view.rules), position: view.position, time }, signal);

/** The tables of the board of a view that the server can build, and what they take. */
export const buildOffers = (view) => ask(`/api/${view.board}/build?${new URLSearchParams(tableRules(view.rules))}`);

/** The state of the latest build. */
export const buildState = () => ask("/api/build");

/** Starts a build for the board of a view: of tables to `{ stones }`, or of the proof of the start, `{ proof: true }`. */
export const startBuild = (view, what) => post("/api/build", { board: view.board, rules: tableRules(view.rules), ...what });

/** Stops the build. */
export const stopBuild = () => ask("/api/build", { method: "DELETE" });
