// A worker that answers requests of the page with the program: one after the other, from the files of a catalog.

/* The first message has `program` (the address of the program's JavaScript), `module` (the compiled program), `catalog` (its address), `text` (the
   catalog) and `only` (paths to use, or none for all). Each further one is a request `{ method, path, body }`, sent when the one before
   is answered: with `{ status }`, any number of `{ chunk }`, bytes of the body, and `{ end: true }`; or with `{ failed }`, a sentence. */

/** Files are read by blocks of so many bytes. */
const BLOCK = 1 << 16;
/** The most bytes of blocks that are kept. */
const ROOM = 32 << 20;

/** Bytes that have been read, by address and block; the least recently used first. */
const blocks = new Map();
let room = ROOM;

function kept(key) {
  const bytes = blocks.get(key);
  if (bytes) {
    blocks.delete(key);
    blocks.set(key, bytes);
  }
  return bytes;
}

function keep(key, bytes) {
  blocks.set(key, bytes);
  room -= bytes.length;
  for (const [oldest, { length }] of blocks) {
    if (room >= 0 || oldest === key) break;
    blocks.delete(oldest);
    room += length;
  }
}

/** The bytes that a host sends for a part of a file; the whole file if it knows no ranges. */
function load({ path, bytes: size, address }, from, to) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.responseType = "arraybuffer";
  request.setRequestHeader("Range", `bytes=${from}-${to - 1}`);
  try {
    request.send();
  } catch {
    throw new Error(`cannot read ${path}: the connection is lost`);
  }
  const whole = request.status === 200;
  if (!whole && request.status !== 206) throw new Error(`cannot read ${path}: the host answers with status ${request.status}`);
  const body = new Uint8Array(request.response);
  const due = whole ? size : to - from;
  if (body.length !== due) throw new Error(`cannot read ${path}: the host sends ${body.length} bytes in place of ${due}`);
  return { whole, body };
}

/** A block of a file. */
function block(file, number) {
  const key = `${number} ${file.address}`;
  const found = kept(key);
  if (found) return found;
  const from = number * BLOCK;
  // A certificate is read from its beginning to its end.
  const [first, last] = file.path.startsWith("certificates/") ? [0, file.bytes] : [from, Math.min(from + BLOCK, file.bytes)];
  const { whole, body } = load(file, first, last);
  if (!whole && last - first < file.bytes) {
    keep(key, body);
    return body;
  }
  for (let at = 0; at < file.bytes; at += BLOCK) keep(`${at / BLOCK} ${file.address}`, body.slice(at, at + BLOCK));
  // The last that are kept may be others.
  return body.slice(from, from + BLOCK);
}

/** Reads a part of a file. */
function read(file, from, length) {
  if (from + length <= file.head.length) return file.head.slice(from, from + length);
  const bytes = new Uint8Array(length);
  for (let at = from; at < from + length;) {
    const part = block(file, Math.floor(at / BLOCK)).subarray(at % BLOCK, (at % BLOCK) + from + length - at);
    bytes.set(part, at - from);
    at += part.length;
  }
  return bytes;
}

const bytesOf = (base64) => Uint8Array.from(atob(base64 ?? ""), (letter) => letter.charCodeAt(0));

/** The program. */
let program = null;

async function begin({ program: address, module, catalog, text, only }) {
  const { default: init, Program } = await import(address);
  await init({ module_or_path: module });
  const { files } = JSON.parse(text);
  const used = files.filter(({ path }) => !only || only.includes(path));
  const byPath = new Map(used.map((file) => [file.path, { ...file, head: bytesOf(file.head), address: new URL(file.url, catalog).href }]));
  const list = JSON.stringify(used.map(({ path, bytes }) => ({ path, bytes })));
  return new Program(list, (path, from, length) => read(byPath.get(path), from, length));
}

async function answer({ method, path, body }) {
  try {
    (await program).answer(method, path, body ?? undefined, (status) => postMessage({ status }), (chunk) => postMessage({ chunk }));
    postMessage({ end: true });
  } catch (error) {
    postMessage({ failed: `the program has ended: ${error?.message ?? error}` });
  }
}

addEventListener("message", ({ data }) => {
  if (program) answer(data);
  else program = begin(data);
});
