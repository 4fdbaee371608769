// Whether the program in WebAssembly answers as a server does, byte for byte, over the same database folder.
//
//     node same.mjs PROGRAM_FOLDER DATABASE http://127.0.0.1:9000

import { program, server } from "./program.mjs";

const [folder, database, address] = process.argv.slice(2);
if (!address) {
  console.error("usage: node same.mjs PROGRAM_FOLDER DATABASE ADDRESS");
  process.exit(1);
}
const [here, there] = [await program(folder, database), server(address)];
let same = 0;
let different = 0;

/** Asks both; resolves to the answer of the program. */
async function compare(method, path, body) {
  const [one, other] = [await here(method, path, body), await there(method, path, body)];
  if (one.status === other.status && (one.text === other.text || one.status === 404)) {
    same += 1;
  } else {
    different += 1;
    console.log(method, path, body ?? "", one, other);
  }
  return JSON.parse(one.text);
}

async function position(board, text) {
  const query = `position=${text.replace(" ", "_")}`;
  await compare("GET", `/api/${board}?${query}`);
  await compare("GET", `/api/${board}/line?${query}`);
}

const boards = new Set((await compare("GET", "/api/tables")).map(({ board }) => board));
for (const board of boards) {
  for (const what of ["stats", "zugzwangs", "certificates"]) await compare("GET", `/api/${board}/${what}`);
  await position(board, (await compare("GET", `/api/${board}/start`)).position);
  for (const kind of ["win", "draw", "only"]) {
    for (const difficulty of ["easy", "medium", "hard"]) {
      for (let seed = 1; seed <= 5; seed += 1) {
        const task = await compare("POST", "/api/practice", { board, kind, difficulty, seed });
        if (!task.position) continue;
        await position(board, task.position);
        await compare("POST", "/api/search", { board, position: task.position });
      }
    }
  }
}
console.log(`${same} answers are the same, ${different} are not`);
process.exitCode = different ? 1 : 0;
