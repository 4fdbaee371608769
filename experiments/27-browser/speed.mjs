// How fast the program is in WebAssembly, or a server for comparison: nodes of the engine and of the search, tasks drawn from tables.
//
//     node speed.mjs PROGRAM_FOLDER DATABASE      the program, made by wasm-bindgen, with the files of a database folder
//     node speed.mjs http://127.0.0.1:9000 PID    a server, and the number of its process
//
// Times are of the processor, so that other programs on the machine change little.

import { openSync, readFileSync, readSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Requests of the program in this process. */
async function program(folder, database) {
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
  return {
    async ask(path, body) {
      const parts = [];
      present.answer("POST", path, JSON.stringify(body), () => {}, (part) => parts.push(part));
      return Buffer.concat(parts).toString();
    },
    seconds() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  };
}

/** Requests to a server. */
function server(address, pid) {
  return {
    async ask(path, body) {
      const headers = { "content-type": "application/json" };
      return (await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) })).text();
    },
    seconds() {
      const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13);
      return (Number(user) + Number(system)) / 100;
    },
  };
}

const [where, other] = process.argv.slice(2);
const { ask, seconds } = await (where.startsWith("http") ? server(where, other) : program(where, other));

/** A number of something in a second of the processor. */
async function rate(name, work) {
  const before = seconds();
  const count = await work();
  console.log(`${name}: ${Math.round(count / (seconds() - before))} a second (${count})`);
}

const last = (lines) => lines.trim().split("\n").slice(-2, -1).map((line) => JSON.parse(line))[0];

const TASKS = 1000;

/** Tasks of 9x5, each of which looks up many positions of few stones. */
async function tasks() {
  for (let seed = 1; seed <= TASKS; seed += 1) {
    const task = JSON.parse(await ask("/api/practice", { board: "9x5", kind: "win", difficulty: "medium", seed }));
    if (task.error) throw new Error(task.error.message);
  }
  return TASKS;
}

// No table knows this board.
const ENGINE = { board: "7x7", level: 9, time: 8000 };
// The first run opens files and compiles.
await ask("/api/game/watch", { ...ENGINE, time: 2000 });
await tasks();
for (let turn = 0; turn < 3; turn += 1) {
  await rate("nodes of the engine", async () => last(await ask("/api/game/watch", ENGINE)).nodes);
  await rate("nodes of the search", async () => JSON.parse(await ask("/api/search", { board: "7x7", time: 8000 })).search.nodes);
  await rate("tasks from tables", tasks);
}
