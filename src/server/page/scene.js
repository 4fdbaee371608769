// The scene that the board draws of a game: stones, marks, trails, and the label of each point.

import { bestValue, valueWord } from "./values.js";
import { readPosition } from "./position.js";

/** The stones after the steps of this turn. */
function stonesOf(controller) {
  const { turn, view } = controller;
  const stones = new Map(readPosition(view.position).stones);
  if (turn.steps.length) {
    stones.delete(turn.from);
    turn.captured().forEach((point) => stones.delete(point));
    stones.set(turn.at(), view.to_move);
  }
  return stones;
}

/** The value of a step of this turn for the player; `null` if it may not be shown or has not come yet. */
function stepValue(controller, lookup, option) {
  const values = controller.turn.candidates([...controller.turn.steps, option]).map(({ position }) => lookup.valueOf(position));
  return values.includes(null) ? null : bestValue(values);
}

function victims(options, how) {
  return options.flatMap((option) => option.captured.map((point) => ({ kind: "victim", point, how: how(option) })));
}

function captureMarks({ turn, hovered }) {
  if (turn.choice) return victims(turn.choice, ({ capture }) => capture);
  const here = turn.options().filter(({ to }) => to === hovered);
  if (here.length > 1) return victims(here, ({ capture }) => capture);
  if (here.length) return victims(here, () => "sure");
  const points = new Set(turn.options().flatMap(({ captured }) => captured));
  return [...points].map((point) => ({ kind: "victim", point, how: "possible" }));
}

function turnMarks(controller, lookup) {
  const { turn, view } = controller;
  if (controller.sacrificing) return view.sacrifices.map((point) => ({ kind: "movable", point }));
  if (!controller.mayMove()) return [];
  if (turn.from === null) return [...turn.movable()].map((point) => ({ kind: "movable", point }));
  const visited = turn.path().slice(0, -1).map((point) => ({ kind: "visited", point }));
  const targets = [...new Set(turn.options().map(({ to }) => to))].map((point) => {
    const values = turn.optionsTo(point).map((option) => stepValue(controller, lookup, option));
    return { kind: "target", point, value: values.includes(null) ? null : bestValue(values) };
  });
  return [{ kind: "selected", point: turn.at() }, ...visited, ...targets, ...captureMarks(controller)];
}

function trails({ turn, view }, best) {
  const last = view.history.at(-1);
  if (turn.steps.length) return [{ kind: "turn", path: turn.path() }];
  const found = [];
  if (last?.path.length) found.push({ kind: "last", path: [last.from, ...last.path] });
  if (best) found.push({ kind: "best", path: [best.from, ...best.steps.map(({ to }) => to)] });
  return found;
}

function labels(controller, stones, marks, lookup) {
  const { turn, view } = controller;
  const of = (kind) => new Set(marks.filter((mark) => mark.kind === kind).map(({ point }) => point));
  const [movable, visited, targets] = [of("movable"), of("visited"), of("target")];
  return (point) => {
    const words = [point, stones.has(point) ? `${stones.get(point)} stone` : "empty"];
    if (point === view.block) words.push("sacrificed, a block");
    if (movable.has(point)) words.push(controller.sacrificing ? "can be sacrificed" : "can move");
    if (turn.from !== null && point === turn.at()) words.push("selected");
    if (visited.has(point)) words.push("visited in this turn");
    if (targets.has(point)) {
      for (const option of turn.optionsTo(point)) {
        const value = stepValue(controller, lookup, option);
        const what = option.capture ? `${option.capture} captures ${option.captured.join(" and ")}` : "move here";
        words.push(value ? `${what}: ${valueWord(value)}` : what);
      }
    }
    const how = turn.choice?.find(({ captured }) => captured.includes(point))?.capture;
    if (how) words.push(`choose capture by ${how}`);
    return words.join(", ");
  };
}

/** The scene of a game; `best` is a recommended turn. */
export function gameScene(controller, lookup, settings, best) {
  const { view, turn } = controller;
  const { columns, rows, lines } = view.geometry;
  const stones = stonesOf(controller);
  const marks = turnMarks(controller, lookup);
  if (!turn.steps.length) {
    marks.push(...(view.history.at(-1)?.captured ?? []).map((point) => ({ kind: "taken", point })));
  }
  if (best && turn.from === null) marks.push(...victims(best.steps, () => "sure"));
  if (view.block) marks.push({ kind: "block", point: view.block });
  return {
    columns, rows, lines, marks,
    stones: [...stones],
    trails: trails(controller, best),
    flipped: settings.flipped,
    coordinates: settings.coordinates,
    motion: controller.takeMotion(),
    label: labels(controller, stones, marks, lookup),
  };
}
