// Use offline: starts the service worker, offers to keep the tables of boards, and says when a new version of the page is there.

import { answered } from "./connection.js";
import { byId, html, say } from "./dom.js";
import { act, workers } from "./service.js";
import { t } from "./words.js";

const WORDS = "The page works without a connection. Values by tables and proofs need one, except on the boards that you keep here.";

const megabytes = (bytes) => (bytes < 950_000 ? Math.max(0.1, bytes / 1e6).toFixed(1) : String(Math.round(bytes / 1e6)));

/** A line of the list of boards: its name, its size, and a button. */
function line({ board, bytes, kept }, again) {
  const state = html("span", { class: "quiet grow", role: "status", text: kept ? `${megabytes(bytes)} MB, kept for use offline` : `${megabytes(bytes)} MB` });
  const click = async () => {
    button.disabled = true;
    try {
      const { active } = await workers.ready;
      if (kept) {
        await act(active, "remove", { board });
      } else {
        // Otherwise the browser may remove it when it needs room.
        await navigator.storage?.persist?.();
        await act(active, "keep", { board }, (done) => say(state, `${megabytes(done)} of ${megabytes(bytes)} MB`));
      }
      again();
    } catch {
      button.disabled = false;
      say(state, "Not kept: the connection is lost, or there is no room.");
    }
  };
  const button = html("button", {
    type: "button", "data-keep": board, "aria-label": `${t(kept ? "Remove" : "Keep")}: ${board}`, text: kept ? "Remove" : "Keep", onclick: click,
  });
  return html("div", { class: "row" }, html("strong", { text: board }), state, button);
}

/** Writes the list of boards into the settings. */
async function draw(list) {
  const boards = await act((await workers.ready).active, "boards");
  boards.sort((one, other) => other.bytes - one.bytes);
  list.replaceChildren(...boards.map((board) => line(board, () => draw(list))));
}

function addToSettings() {
  const list = html("div", { id: "keep-boards", class: "rule" });
  const words = workers ? WORDS : "At this address the page cannot work without a connection: browsers allow that with HTTPS only.";
  byId("appearance").querySelector(".sheet").append(
    html("fieldset", {}, html("legend", { text: "Use offline" }), html("p", { class: "quiet", text: words }), list));
  if (workers) draw(list);
}

/** Offers a version that is loaded and waits. */
function offer(worker) {
  if (byId("new-version")) return;
  const use = () => act(worker, "takeOver");
  document.querySelector("main > *").prepend(html("div", { id: "new-version", class: "row banner", role: "status" },
    html("span", { text: "A new version of this page is ready." }),
    html("button", { type: "button", text: "Use it", onclick: use })));
}

async function start() {
  // The first service worker has the version of the page. When another one takes over, the page changes with it.
  let first = workers.controller === null;
  workers.addEventListener("controllerchange", () => {
    if (!first) location.reload();
    first = false;
  });
  // What is kept for later comes after what is needed now.
  await answered;
  const registration = await workers.register(new URL("../service_worker.js", import.meta.url));
  const look = (worker) => { if (worker?.state === "installed" && workers.controller) offer(worker); };
  look(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing.addEventListener("statechange", () => look(installing));
  });
}

if (byId("appearance")) addToSettings();
// Where it fails, the page works online.
if (workers) start().catch(() => {});
