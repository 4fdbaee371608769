// Entry point: creates and connects the parts of the page, then opens a link, the saved game, or a new one.

import { Appearance } from "./appearance.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { SILENCE, served } from "./connection.js";
import { Counters } from "./counters.js";
import { GameController } from "./game_controller.js";
import { ask, open, prepareDialogs } from "./dialog.js";
import { byId, say } from "./dom.js";
import { Editor } from "./editor.js";
import { Exchange, brokenLink, gameOfAddress } from "./exchange.js";
import { Game } from "./game.js";
import { keepFocus, listenToKeys } from "./keys.js";
import { Learn } from "./learn.js";
import { Live, liveKeyOfAddress } from "./live.js";
import { Lookup } from "./lookup.js";
import { MoveList } from "./movelist.js";
import { Opponent } from "./opponent.js";
import { Panel } from "./panel.js";
import { addressOf, rulesLine } from "./rules.js";
import { gameScene } from "./scene.js";
import { Settings } from "./settings.js";
import { Sounds } from "./sounds.js";
import { Notices, Status } from "./status.js";
import { Toolbar } from "./toolbar.js";
import { load, save } from "./store.js";
import { listen } from "./touch.js";
import { translatePage } from "./words.js";

translatePage();
prepareDialogs();
const notices = new Notices();
const notify = (text) => notices.show(text);
const settings = new Settings();
const controller = new GameController();
const counters = new Counters(controller);
const lookup = new Lookup(controller, settings);
const opponent = new Opponent(controller, ask, notify);
const editor = new Editor(start, notify);
const exchange = new Exchange(controller, start, notify);
const live = new Live(controller, settings, begin, (field) => exchange.copy(field), notify);
const practice = later(() => import("./practice.js").then(({ Practice }) => new Practice({ controller, opponent, lookup, settings, begin: start, back, notify })));
const newGame = later(() => import("./newgame.js").then(({ NewGame }) => new NewGame(start, live, controller)));
const toolbar = new Toolbar(controller, lookup, opponent, settings, notify);
const status = new Status(controller, opponent, settings);
const board = new Board(byId("board"));
let recommended = null;
// Whether the game was paused before the editor was opened.
let pausedBefore = false;

if (served) later(() => import("./build.js").then(({ BuildPanel }) => new BuildPanel(controller, lookup)))();
new Learn(controller, start, back);
byId("open-practice").addEventListener("click", async () => (await practice())?.open());
controller.addEventListener("view", () => { if (controller.game.task) practice(); });
const moveList = new MoveList(controller);
const review = later(async () => {
  const { ReviewPanel } = await import("./review.js");
  const panel = new ReviewPanel(controller, start, notify);
  moveList.mark = (lines, ply) => panel.mark(lines, ply);
  panel.addEventListener("marks", () => moveList.draw());
  return panel;
});
for (const id of ["review", "review-again"]) byId(id).addEventListener("click", async () => (await review())?.start());
new Appearance(settings);
new Sounds(controller, settings);
new Clock(controller, { white: byId("clock-white"), black: byId("clock-black") });
new Panel(controller, lookup, settings, begin, (turn) => {
  recommended = turn;
  draw();
});

/** A part of the page that is loaded when it is first used; null while that fails. */
function later(load) {
  let loaded = null;
  return async () => {
    loaded ??= load();
    try {
      return await loaded;
    } catch {
      loaded = null;
      notify(SILENCE);
      return null;
    }
  };
}

function draw() {
  // Nobody gets help in a live game, so its position is taken nowhere else.
  const isLive = typeof controller.game?.live === "string";
  if (isLive) editor.close();
  byId("open-editor").disabled = isLive;
  byId("open-exchange").disabled = isLive || editor.shown;
  if (editor.shown) board.draw(editor.scene(settings));
  else if (controller.view) {
    board.draw(gameScene(controller, lookup, settings, recommended));
    status.draw();
    toolbar.draw();
    say(byId("rules-line"), rulesLine(controller.view));
    for (const link of document.querySelectorAll("a[href*=tables]")) link.hash = addressOf(controller.view);
  }
}

/**
 * Shows another game; resolves to whether it succeeded. `words(error)` is the message if not. A game that the visitor has
 * begun is put aside for positions and records to look at, and is over for the counters when the visitor begins another one.
 * A record is put aside for an exercise.
 */
async function begin(game, words) {
  const paused = editor.shown ? pausedBefore : null;
  if (controller.isLatest()) controller.keep();
  if (game.isExercise) game.origin = controller.game?.live ?? controller.game?.origin ?? null;
  const [left, aside] = [load("game", null), load("aside", null)];
  if (!await controller.show(game, words)) return false;
  if (game.rated) {
    for (const abandoned of [left, aside]) if (abandoned) counters.leave(Game.restored(abandoned));
    save("aside", null);
    settings.set("flipped", game.sides() === "black");
  } else if (left) {
    const { rated, isExercise, position, moves } = Game.restored(left);
    const wanted = rated || (game.isExercise && !isExercise && !aside);
    if (wanted && (position || moves.length)) save("aside", { ...left, paused: paused ?? left.paused });
  }
  draw();
  return true;
}

/** The same for what the visitor has chosen, which closes the editor. */
async function start(game, words) {
  const shown = await begin(game, words);
  if (shown) editor.close();
  return shown;
}

/** Shows the live game that an exercise was opened from, or else the game that was put aside, or a new one. */
async function back() {
  if (live.back(controller.game.origin)) return;
  const kept = load("aside", null);
  const game = kept ? Game.restored(kept) : new Game({ board: "9x5" }).rate();
  // It is not begun anew, so that it is not counted as abandoned.
  if (!await controller.show(game)) return;
  editor.close();
  save("aside", null);
  settings.set("flipped", game.sides() === "black");
}

/** Opens the position or the live game of a link. */
async function openAddress() {
  const key = liveKeyOfAddress();
  if (key !== null && served) return live.open(key);
  let game;
  try {
    if (key !== null) throw new Error("Live games need a server, and this page has none.");
    game = gameOfAddress(location);
  } catch (error) {
    notify(error.message);
  }
  // The link has been used; a reload shows the present game.
  history.replaceState(null, "", location.pathname);
  return game !== undefined && game !== null && start(game, brokenLink);
}

async function restart() {
  const kept = load("game", null);
  if (kept) {
    if (await controller.show(Game.restored(kept))) return;
    // Something else is shown by now.
    if (controller.failure === null) return;
    if (controller.failure.status !== 400) {
      // The game is valid and must not be lost.
      say(byId("status"), "Your game could not be shown. Reload the page to try again.");
      return;
    }
  }
  await controller.show(new Game({ board: "9x5" }).rate());
}

listen(board, () => (editor.shown ? editor : controller));
keepFocus();
listenToKeys(() => editor.shown, {
  undo: () => controller.undo(),
  redo: () => controller.redo(),
  start: () => controller.go(0),
  end: () => controller.go(Infinity),
  best: () => toolbar.showBest(),
  back: () => (editor.shown ? editor.cancel() : controller.back()),
  flip: () => settings.set("flipped", !settings.flipped),
});
controller.addEventListener("view", draw);
controller.addEventListener("turn", draw);
controller.addEventListener("refused", ({ detail }) => notify(detail));
controller.addEventListener("failed", ({ detail }) => notify(detail));
controller.addEventListener("busy", ({ detail }) => document.body.classList.toggle("busy", detail));
settings.addEventListener("change", draw);
editor.addEventListener("change", draw);

byId("open-new-game").addEventListener("click", async () => {
  if (controller.view) (await newGame())?.show();
});
byId("open-editor").addEventListener("click", () => {
  if (!controller.view) return;
  pausedBefore = controller.game.paused;
  controller.pause(true);
  editor.open(controller.game, controller.view);
});
editor.addEventListener("cancel", () => controller.pause(pausedBefore));
byId("open-exchange").addEventListener("click", () => { if (controller.view) exchange.show(); });
byId("open-settings").addEventListener("click", () => open("appearance"));
byId("open-help").addEventListener("click", () => open("help"));
byId("return").addEventListener("click", back);
for (const id of ["again", "again-vela"]) {
  byId(id).addEventListener("click", () => begin(toolbar.rematch(id === "again-vela")));
}
addEventListener("pagehide", () => { if (controller.isLatest()) controller.keep(); });
addEventListener("hashchange", openAddress);

if (!await openAddress()) await restart();
