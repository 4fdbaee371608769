// Keeps the page and its program for use offline, one version as a whole, and the tables of the boards that the visitor chooses.

/* global VERSION, FILES, CATALOG -- `.ci/site` writes them above: the version, its files with their checksums, and the list of tables. */

// Other pages of the same host have caches too.
const ROOT = `fanorona ${registration.scope} `;
const PAGE = `${ROOT}page ${VERSION}`;
const TABLES = `${ROOT}tables`;
/** Where the names of the kept boards are, beside their tables. */
const KEPT = new URL("kept-boards", registration.scope).href;

const absolute = (name, base = registration.scope) => new URL(name, base).href;

/** A response as a page may get it: browsers refuse those that were redirected. */
const plain = (response) => new Response(response.body, { headers: response.headers });

async function load(url, options) {
  const response = await fetch(new Request(url, options));
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return plain(response);
}

/** Loads all files of this version. One that is missing or of another version fails, and the version before stays. */
async function fill() {
  const cache = await caches.open(PAGE);
  const file = async ([name, integrity]) => {
    // Names with the version never change.
    const options = { integrity, cache: name.includes(VERSION) ? "default" : "no-cache" };
    await cache.put(absolute(name), await load(absolute(name), options));
  };
  await Promise.all(Object.entries(FILES).map(file));
  for (const board of await keptBoards()) await keep(board, () => {});
}

/** The files of the database by board: their addresses, bytes and fingerprints. */
async function boards() {
  const page = await caches.open(PAGE);
  const { files } = await (await page.match(absolute(CATALOG))).json();
  const found = new Map();
  for (const { path, bytes, fingerprint, url } of files) {
    // A certificate is named after its board.
    const board = path.replace(/^certificates\//, "").split(/[/.]/)[0];
    if (!found.has(board)) found.set(board, []);
    found.get(board).push({ path, bytes, fingerprint, url: absolute(url, absolute(CATALOG)) });
  }
  return found;
}

/** The names of the boards that are kept. */
async function keptBoards() {
  const names = await (await caches.open(TABLES)).match(KEPT);
  return names ? names.json() : [];
}

async function setKept(names) {
  await (await caches.open(TABLES)).put(KEPT, new Response(JSON.stringify(names)));
}

/** The first 16 bytes of the SHA-256 checksum of a body, in hex digits. */
async function fingerprintOf(body) {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", await body.arrayBuffer()));
  return [...sum.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Loads the files of a board that are not kept yet; `progress(bytes)` is called with what is there. */
async function keep(board, progress) {
  const cache = await caches.open(TABLES);
  let there = 0;
  for (const { bytes, fingerprint, url } of (await boards()).get(board) ?? []) {
    if (!await cache.match(url)) {
      const body = await (await load(url)).blob();
      if (await fingerprintOf(body) !== fingerprint) throw new Error(`${url} is damaged`);
      await cache.put(url, new Response(body));
    }
    there += bytes;
    progress(there);
  }
  await setKept([...new Set([...await keptBoards(), board])]);
}

/** Removes what is kept and not wanted: of other boards, and of other versions. */
async function prune() {
  const [cache, found, names] = [await caches.open(TABLES), await boards(), await keptBoards()];
  const wanted = new Set(names.flatMap((name) => (found.get(name) ?? []).map(({ url }) => url)));
  for (const { url } of await cache.keys()) {
    if (url !== KEPT && !wanted.has(url)) await cache.delete(url);
  }
}

async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith(`${ROOT}page `) && name !== PAGE) await caches.delete(name);
  }
  await prune();
  await clients.claim();
}

/** The part of a kept file that a request asks for. */
async function part(kept, range) {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  if (from === undefined) return kept;
  const blob = await kept.blob();
  const [first, last] = [Number(from), Math.min(to ? Number(to) : Infinity, blob.size - 1)];
  if (first > last) return new Response(null, { status: 416, headers: { "content-range": `bytes */${blob.size}` } });
  const headers = { "content-range": `bytes ${first}-${last}/${blob.size}`, "content-length": String(last - first + 1) };
  return new Response(blob.slice(first, last + 1), { status: 206, headers });
}

async function answer(request) {
  const [url] = request.url.split(/[?#]/);
  const page = await (await caches.open(PAGE)).match(url);
  if (page) return page;
  const table = await (await caches.open(TABLES)).match(url);
  return table ? part(table, request.headers.get("range")) : fetch(request);
}

const ACTIONS = {
  /** The boards with their bytes, and whether they are kept. */
  async boards() {
    const names = await keptBoards();
    return [...await boards()].map(([board, files]) =>
      ({ board, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), kept: names.includes(board) }));
  },
  /** The paths of the kept files. */
  async paths() {
    const found = await boards();
    return (await keptBoards()).flatMap((name) => (found.get(name) ?? []).map(({ path }) => path));
  },
  async keep({ board }, progress) {
    await keep(board, progress);
  },
  async remove({ board }) {
    await setKept((await keptBoards()).filter((name) => name !== board));
    await prune();
  },
  async takeOver() {
    await skipWaiting();
  },
};

addEventListener("install", (event) => event.waitUntil(fill().catch(async (error) => {
  await caches.delete(PAGE);
  throw error;
})));
addEventListener("activate", (event) => event.waitUntil(takeOver()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(registration.scope)) event.respondWith(answer(event.request));
});
addEventListener("message", (event) => {
  const { data, ports: [port] } = event;
  const act = async () => {
    try {
      port.postMessage({ done: await ACTIONS[data.action](data, (bytes) => port.postMessage({ bytes })) ?? null });
    } catch (error) {
      port.postMessage({ failed: error.message });
    }
  };
  event.waitUntil(act());
});
