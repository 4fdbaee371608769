// How fast the program is in WebAssembly, or a server for comparison: nodes of the engine and of the search, tasks drawn from tables.
//
//     node speed.mjs PROGRAM_FOLDER DATABASE      the program, made by wasm-bindgen, with the files of a database folder
//     node speed.mjs http://127.0.0.1:9000 PID    a server, and the number of its process
//
// Times are of the processor, so that other programs on the machine change little.

import { readFileSync } from "node:fs";

import { program, server } from "./program.mjs";

const [where, other] = process.argv.slice(2);
if (!other) {
  console.error("usage: node speed.mjs PROGRAM_FOLDER DATABASE, or ADDRESS PID");
  process.exit(1);
}
const served = where.startsWith("http");
const send = served ? server(where) : await program(where, other);
const ask = async (path, body) => (await send("POST", path, body)).text;

/** Seconds of the processor so far. */
function seconds() {
  if (!served) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const [user, system] = readFileSync(`/proc/${other}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

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
