// The page of tables: the boards of the database, and for one of them its slices, longest wins, zugzwangs, depths and proofs.

import { boardTables, certificates, statistics, zugzwangs } from "./api.js";
import { positionPicture } from "./diagrams.js";
import { byId, html, label, say, svg } from "./dom.js";
import { readPosition } from "./position.js";
import { addressOf, boardLine, ruleParts } from "./rules.js";
import { Settings } from "./settings.js";
import { byteText, language, t, translatePage } from "./words.js";

const LONGEST = 12;
const ZUGZWANGS = 12;
const VERBS = { draw: "draws", loss: "loses" };

const number = new Intl.NumberFormat(language);
const percent = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A link to a position on the page that one plays on. */
function positionLink(rules, position, text) {
  return html("a", { href: `./#${[`position=${position.replaceAll(" ", "_")}`, ...ruleParts(rules)].join("&")}`, text });
}

function drawBoards(boards, chosen) {
  byId("boards").replaceChildren(...boards.map((board) => {
    const { stones, depth_stones: depths, certificates: proofs } = board;
    const reach = [
      stones && `values to ${stones} stones`,
      depths && `depths to ${depths} stones`,
      proofs && `${proofs} ${proofs === 1 ? "certificate" : "certificates"}`,
    ];
    const address = addressOf(board);
    return html("li", {}, html("a", { class: "button", href: address, "aria-current": address === chosen ? "true" : null },
      html("strong", { text: boardLine(board) }), html("span", { class: "quiet", text: reach.filter(Boolean).map((part) => t(part)).join(", ") })));
  }));
}

/** Wins, draws and losses as parts of a bar. */
function shareBar({ wins, draws, losses }) {
  const parts = [["win", wins], ["draw", draws], ["loss", losses]];
  let x = 0;
  const bars = parts.map(([kind, share]) => {
    const bar = svg("rect", { class: kind, x: 100 * x, y: 0, width: 100 * share, height: 10 });
    x += share;
    return bar;
  });
  return svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, ...bars);
}

function drawSlices({ slices, totals }) {
  const heads = ["Slice", "Positions", "Wins, draws, losses", "Wins", "Draws", "Losses", "Longest win", "Size"];
  const row = (name, slice, longest) => {
    const { positions, wins, draws, losses } = slice;
    const shares = { wins: wins / positions, draws: draws / positions, losses: losses / positions };
    return html("tr", {}, html("th", { scope: "row", text: name }), html("td", { text: number.format(positions) }),
      html("td", { class: "share" }, shareBar(shares)),
      ...Object.values(shares).map((share) => html("td", { text: percent.format(share) })),
      html("td", { text: longest ?? "" }), html("td", { text: byteText(slice.bytes) }));
  };
  const body = slices.map((slice) => row(`${slice.mover}v${slice.opponent}`, slice, slice.depths?.longest_win?.plies));
  byId("slices").replaceChildren(
    html("thead", {}, html("tr", {}, ...heads.map((text) => html("th", { scope: "col", class: text.includes(",") ? "share" : null, text })))),
    html("tbody", {}, ...body),
    html("tfoot", {}, row(t("All"), totals)));
}

function drawLongest({ slices, rules }) {
  const wins = slices.filter(({ depths }) => depths?.longest_win).sort((a, b) => b.depths.longest_win.plies - a.depths.longest_win.plies);
  byId("longest").replaceChildren(...wins.slice(0, LONGEST).map(({ mover, opponent, depths }) => {
    const { plies, position } = depths.longest_win;
    return html("li", {}, positionLink(rules, position, `${mover}v${opponent}: a win in ${plies} plies`));
  }));
  byId("longest").closest("section").hidden = wins.length === 0;
}

/** Boards on which nobody wants to move, those with most at stake first. */
function drawZugzwangs({ slices, rules, stones }) {
  const sum = (name) => slices.reduce((total, slice) => total + slice[name], 0);
  const [all, full] = [sum("count"), sum("full_point")].map((count) => number.format(count));
  const sentences = [`All positions to ${stones} stones were searched: ${all} are zugzwangs.`, `In ${full} of them a whole point is at stake: whoever is to move loses.`];
  say(byId("zugzwangs-count"), sentences.join(" "));
  const examples = slices.flatMap((slice) => slice.examples.map((example) => ({ ...slice, ...example })));
  const isFull = ({ value, waiting }) => value === "loss" && waiting === "win";
  const shown = [...examples.filter(isFull).reverse(), ...examples.filter((example) => !isFull(example)).reverse()].slice(0, ZUGZWANGS);
  byId("zugzwangs").replaceChildren(...shown.map(({ mover, opponent, position, value, waiting }) => {
    const link = (side, text) => html("li", {}, positionLink(rules, position.replace(/ w$/, ` ${side}`), text));
    return html("li", {}, positionPicture(readPosition(position), rules.diagonals), html("span", { class: "quiet", text: `${mover}v${opponent}` }),
      html("ul", {}, link("w", `White to move ${VERBS[value]}`), link("b", `Black to move ${{ win: "loses", draw: "draws" }[waiting]}`)));
  }));
  byId("zugzwangs").closest("section").hidden = shown.length === 0;
}

/** A bar for each number of plies: odd ones are wins, even ones losses. */
function drawPlies({ slices }) {
  const sums = new Map();
  for (const { depths } of slices) {
    for (const kind of ["wins", "losses"]) {
      for (const [plies, count] of Object.entries(depths?.[kind] ?? {})) {
        const sum = sums.get(Number(plies)) ?? { wins: 0, losses: 0 };
        sum[kind] += count;
        sums.set(Number(plies), sum);
      }
    }
  }
  const chart = byId("plies");
  chart.closest("section").hidden = sums.size === 0;
  if (!sums.size) return;
  const most = Math.max(...sums.keys());
  const top = Math.ceil(Math.log10(Math.max(...[...sums.values()].map(({ wins, losses }) => Math.max(wins, losses))) + 1));
  const across = Math.max(320, Math.min(800, chart.parentElement.clientWidth));
  const [left, bottom, width, height] = [46, 168, across - 60, 156];
  const x = (plies) => left + (width * plies) / (most + 1);
  const y = (count) => bottom - (height * Math.log10(count + 1)) / top;
  const bars = [...sums].map(([plies, { wins, losses }]) => {
    const [kind, count] = wins ? ["win", wins] : ["loss", losses];
    return svg("rect", { class: kind, x: x(plies), y: y(count), width: Math.max(0.8, (width / (most + 1)) * 0.85), height: bottom - y(count) });
  });
  const powers = Array.from({ length: top + 1 }, (_, power) => power).filter((power) => power % Math.ceil(top / 6) === 0);
  const lines = powers.flatMap((power) => [
    svg("line", { x1: left, x2: left + width, y1: y(10 ** power - 1), y2: y(10 ** power - 1) }),
    svg("text", { x: left - 6, y: y(10 ** power - 1) + 4, "text-anchor": "end", text: power ? `10${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}` : "1" }),
  ]);
  const step = Math.max(1, Math.ceil(most / (across / 100) / 5) * 5);
  const marks = Array.from({ length: Math.floor(most / step) + 1 }, (_, mark) => mark * step);
  const labels = marks.map((plies) => svg("text", { x: x(plies), y: bottom + 16, text: String(plies) }));
  chart.setAttribute("viewBox", `0 0 ${across} 190`);
  label(chart, `Wins and losses by plies, up to ${most} plies`);
  chart.replaceChildren(...lines, ...bars, ...labels);
}

const VALUES = {
  "white wins": "White wins", "black wins": "Black wins", "draw": "a draw",
  "white does not lose": "White does not lose", "black does not lose": "Black does not lose",
};
const EXTENTS = { samples: "samples verified on {on}", values: "every value verified on {on}", depths: "every value, by depths, verified on {on}" };

function drawProofs({ used: proofs, unused, rules }) {
  const ground = ({ stones, tables }) => {
    if (!tables) return "without tables";
    const which = { true: "the published ones", false: "other than the published ones" }[tables.published];
    const verified = tables.verified ? t(EXTENTS[tables.verified.extent].replace("{on}", tables.verified.on)) : t("not verified");
    return `${t(`given tables to ${stones} stones`)} (${[which && t(which), verified].filter(Boolean).join(", ")})`;
  };
  const shown = proofs.map((proof) => html("li", {},
    positionLink(rules, proof.position, proof.is_start ? "The start" : proof.position), ": ", html("strong", { text: VALUES[proof.value] }), ", ", ground(proof), ". ",
    html("span", { class: "quiet", text: `${proof.name}, ${number.format(proof.positions)} ${t("positions")}` })));
  const others = unused.map(({ name, why }) => html("li", { class: "quiet", text: `${name}: ${why}` }));
  byId("proofs").replaceChildren(...shown, ...others);
  byId("proofs").closest("section").hidden = shown.length + others.length === 0;
}

let boards = [];

/** The board of the address, or else the first. */
const chosenBoard = () => boards.find((board) => addressOf(board) === location.hash) ?? boards[0];

/** Shows that board. */
async function show() {
  const chosen = chosenBoard();
  drawBoards(boards, chosen && addressOf(chosen));
  if (!chosen) {
    say(byId("message"), "There are no tables yet. You can build some on the page where you play.");
    return;
  }
  const [stats, proofs] = await Promise.all([chosen.stones ? statistics(chosen) : null, certificates(chosen)]);
  // Another board may have been chosen meanwhile.
  if (chosen !== chosenBoard()) return;
  say(byId("message"), "");
  drawProofs(proofs);
  const counted = stats ?? { slices: [], rules: chosen.rules, totals: null };
  drawLongest(counted);
  byId("zugzwangs").closest("section").hidden = true;
  drawPlies(counted);
  if (stats) drawSlices(stats);
  byId("slices").closest("section").hidden = !stats;
  byId("board-of").hidden = false;
  if (!stats) return;
  // They take a moment to count, and too long on a large board.
  try {
    const found = await zugzwangs(chosen);
    if (chosen === chosenBoard()) drawZugzwangs(found);
  } catch (error) {
    if (chosen === chosenBoard()) say(byId("message"), error.message);
  }
}

async function run(action) {
  const { hash } = location;
  try {
    await action();
  } catch (error) {
    // Another board may have been chosen meanwhile.
    if (hash !== location.hash) return;
    say(byId("message"), error.message);
    byId("board-of").hidden = true;
  }
}

new Settings();
translatePage();
addEventListener("hashchange", () => run(show));
run(async () => {
  boards = await boardTables();
  await show();
});
