// Offers builds where neither a table nor a proof has the value: what they take, their progress, and how they ended.

import { buildOffers, startBuild, stopBuild } from "./api.js";
import { byId, html, say } from "./dom.js";
import { latestBuild } from "./latest_build.js";
import { readPosition } from "./position.js";
import { boardKey } from "./rules.js";
import { sentence } from "./status.js";
import { byteText } from "./words.js";

/** A number of seconds as text. */
function duration(seconds) {
  const round = (number, unit) => `${Math.round(number)} ${unit}${Math.round(number) === 1 ? "" : "s"}`;
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? round(seconds / 60, "minute") : round(seconds / 3600, "hour");
}

export class BuildPanel {
  constructor(controller, lookup) {
    Object.assign(this, { controller, lookup });
    this.root = byId("build");
    // What can be built, and for which board and rules.
    this.offers = null;
    this.offersFor = null;
    this.chosen = null;
    // What the present parts show.
    this.shown = null;
    lookup.addEventListener("values", () => this.update());
    latestBuild.addEventListener("change", () => this.draw());
    latestBuild.addEventListener("end", () => this.refresh());
    latestBuild.look();
    this.update();
  }

  /** Whether neither a table nor a proof has the value. */
  isWanted() {
    const { controller: { view }, lookup } = this;
    if (view === null || !lookup.allowed() || view.result || lookup.waiting.has("table")) return false;
    return !lookup.isKnown() || lookup.verdict().source === "search";
  }

  async update() {
    this.draw();
    if (!this.isWanted() || this.offersFor === boardKey(this.controller.view)) return;
    const key = boardKey(this.controller.view);
    this.offersFor = key;
    this.offers = null;
    this.chosen = null;
    try {
      const offers = await buildOffers(this.controller.view);
      if (this.offersFor === key) this.offers = offers;
    } catch {
      // Without offers nothing is shown; the next position asks again.
      if (this.offersFor === key) this.offersFor = null;
    }
    this.draw();
  }

  /** After a build, offers are others, and values are looked up again. */
  refresh() {
    this.offersFor = null;
    if (this.controller.view) this.lookup.update();
  }

  draw() {
    const running = latestBuild.isRunning();
    const { offers } = this;
    const any = offers?.allowed && (offers.offers.length > 0 || (offers.proof && this.isStart()));
    const offered = any && this.isWanted() && this.offersFor === boardKey(this.controller.view);
    this.root.hidden = !running && !offered;
    if (this.root.hidden) return;
    const stones = this.controller.view ? readPosition(this.controller.view.position).stones.size : 0;
    const shown = JSON.stringify(running ? latestBuild.state.build : [stones, this.isStart(), this.offers, latestBuild.failure()]);
    // Buttons stay the same as long as they mean the same.
    if (shown !== this.shown) {
      const held = this.root.contains(document.activeElement);
      this.root.replaceChildren(...(running ? this.runningParts() : this.offerParts(stones)));
      if (held) this.root.querySelector("button").focus();
      this.shown = shown;
    }
    if (running) {
      const { build, share, step, seconds_left: left } = latestBuild.state;
      const bar = this.root.querySelector("progress");
      if (share === null) bar.removeAttribute("value");
      else bar.value = share;
      const parts = [build.proof ? step : null, latestBuild.percent(), left === null ? null : `about ${duration(left)} left`];
      say(this.root.querySelector("span"), parts.filter(Boolean).join(", "));
    }
  }

  runningParts() {
    return [
      html("p", { text: latestBuild.title() }),
      html("progress", { max: "1", "aria-label": "Progress of the build" }),
      html("div", { class: "row" },
        html("span", { class: "quiet grow" }),
        html("button", { type: "button", id: "stop-build", onclick: () => latestBuild.act(stopBuild), text: "Stop" })),
    ];
  }

  offerParts(stones) {
    const { offers } = this;
    const failure = latestBuild.failure();
    return [
      ...(offers.offers.length > 0 ? this.tableParts(stones) : []),
      ...(offers.proof && this.isStart() ? this.proofParts(offers.proof) : []),
      ...(failure ? [html("p", { class: "quiet", role: "status", text: sentence(failure) })] : []),
    ];
  }

  tableParts(stones) {
    const { offers } = this;
    const exact = offers.offers.find((offer) => offer.stones === stones);
    if (!offers.offers.some((offer) => offer.stones === this.chosen)) this.chosen = exact?.stones ?? offers.recommended;
    const why = exact ? `Tables to ${stones} stones have the value of this position and of its moves.`
      : `This position has ${stones} stones, too many for tables here. Tables speed up searches and have the values of endgames.`;
    // Smaller builds than the recommended one would save only seconds.
    const least = Math.min(exact?.stones ?? Infinity, offers.recommended);
    const option = (offer) => html("option", {
      value: String(offer.stones), selected: offer.stones === this.chosen,
      text: `to ${offer.stones} stones: about ${duration(offer.seconds)}, ${byteText(offer.disk)}`,
    });
    const build = () => latestBuild.act(() => startBuild(this.controller.view, { stones: this.chosen }));
    return [
      html("p", { class: "quiet", text: why }),
      html("div", { class: "row" },
        html("select", { id: "build-stones", "aria-label": "Tables to build", onchange: ({ target }) => { this.chosen = Number(target.value); } },
          ...offers.offers.filter((offer) => offer.stones >= least).map(option)),
        html("button", { type: "button", id: "start-build", onclick: build, text: "Build" })),
    ];
  }

  /** Whether the position is the start of its board. */
  isStart() {
    return this.controller.view?.position === this.offers?.start;
  }

  /** How long searches of as many points take, as far as there is experience. */
  searchTime() {
    const { columns, rows } = readPosition(this.offers.start);
    const points = columns * rows;
    if (points <= 27) return " of seconds";
    return points <= 45 ? " of some minutes" : " of hours, which may not find it";
  }

  proofParts({ stones, seconds, disk }) {
    const tables = seconds > 0 ? `tables to ${stones} stones, about ${duration(seconds)} and ${byteText(disk)}, then ` : "";
    return [
      html("p", { class: "quiet", text: `The value of the start takes ${tables}a search${this.searchTime()}.` }),
      html("div", { class: "row" }, html("button", {
        type: "button", id: "start-proof", onclick: () => latestBuild.act(() => startBuild(this.controller.view, { proof: true })), text: "Prove it",
      })),
    ];
  }
}
