// The program in this process, and a server: what answers requests.

import { openSync, readFileSync, readSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The program, made by wasm-bindgen, with the files of a database folder: `ask(method, path, body)` resolves to `{ status, text }`. */
export async function program(folder, database) {
  const { default: init, Program } = await import(pathToFileURL(join(folder, "fanorona_web.js")));
  await init({ module_or_path: readFileSync(join(folder, "fanorona_web_bg.wasm")) });
  const files = readdirSync(database, { recursive: true }).filter((path) => statSync(join(database, path)).isFile());
  const list = files.map((path) => ({ path, bytes: statSync(join(database, path)).size }));
  const open = new Map();
  const read = (path, from, length) => {
    if (!open.has(path)) open.set(path, openSync(join(database, path)));
    const bytes = new Uint8Array(length);
    readSync(open.get(path), bytes, 0, length, from);
    return bytes;
  };
  const present = new Program(JSON.stringify(list), read);
  return async (method, path, body) => {
    const parts = [];
    let status = 0;
    present.answer(method, path, body && JSON.stringify(body), (its) => { status = its; }, (part) => parts.push(part));
    return { status, text: Buffer.concat(parts).toString() };
  };
}

/** A server at an address, in the same form. */
export const server = (address) => async (method, path, body) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(address + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
};
