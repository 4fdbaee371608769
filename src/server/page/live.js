// A live game with a friend through the server: begins it, follows its events, and says who is there.

import { beginLive, liveEvents, liveState } from "./api.js";
import { byId, capital, other, say } from "./dom.js";
import { open } from "./dialog.js";
import { brokenLink } from "./exchange.js";
import { Game, PEOPLE } from "./game.js";
import { load, names, save } from "./store.js";
import { t } from "./words.js";

/** Milliseconds until a request is made again that the server could not take. */
const RETRY = 2000;
const PREFIX = "#live=";

/** A link to the seat of a key. */
const linkOf = (key) => `${location.origin}${location.pathname}${PREFIX}${key}`;

/** The key of a live game in the address of the page, or `null`. */
export function liveKeyOfAddress() {
  return location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : null;
}

/** The prefix under which this browser saves its seats in unfinished games, each by itself: other windows save theirs. */
const SEAT = "live.";

/** Their keys. */
const seats = () => names(SEAT).map((name) => name.slice(SEAT.length));

/** The links for others, if the game of a key began here. */
const invitation = (key) => load(SEAT + key, {});

export class Live {
  /** `begin(game)` shows a game that is over, `copy(field)` copies a text, `notify(sentence)` shows a message. */
  constructor(controller, settings, begin, copy, notify) {
    Object.assign(this, { controller, settings, begin, notify });
    this.key = null;
    this.source = null;
    // The key that this window had last.
    this.latest = null;
    // The latest state, and the text of its game if that is shown.
    this.state = null;
    this.shown = null;
    this.connected = false;
    for (const id of ["friend", "watch"]) byId(`copy-${id}`).addEventListener("click", () => copy(byId(`invite-${id}`)));
    byId("live-invite").addEventListener("click", () => this.invite());
    byId("live-return").addEventListener("click", () => this.back(this.latest) || this.back(seats()[0]));
    byId("live-accept").addEventListener("click", () => controller.act({ action: "draw" }));
    byId("live-decline").addEventListener("click", () => controller.act({ action: "decline" }));
    addEventListener("storage", () => this.draw());
    // A page in the browser's back cache is not connected.
    addEventListener("pagehide", () => this.source?.close());
    addEventListener("pageshow", ({ persisted }) => { if (persisted && this.key) this.connect(); });
    controller.addEventListener("live", ({ detail: { key, state } }) => { if (key === this.key) this.take(state); });
    controller.addEventListener("view", () => {
      if (this.state && controller.game.live !== this.key) this.close();
      this.draw();
    });
  }

  /** Begins a game of a request, in which this page plays `side`; resolves to whether it is shown. */
  async host(request, side) {
    let keys;
    try {
      keys = await beginLive(request);
    } catch (error) {
      this.notify(error.message);
      return false;
    }
    const key = keys[side];
    save(SEAT + key, { side: other(side), friend: keys[other(side)], watch: keys.watch });
    const shown = this.open(key);
    history.replaceState(null, "", PREFIX + key);
    return shown;
  }

  /** Opens the game of a key; resolves to whether it is shown. */
  open(key) {
    this.leave();
    this.key = key;
    this.latest = key;
    return new Promise((resolve) => {
      this.opened = resolve;
      this.connect();
    });
  }

  connect() {
    const source = liveEvents(this.key);
    this.source = source;
    source.addEventListener("message", ({ data }) => this.take(JSON.parse(data)));
    source.addEventListener("error", () => this.lose(source));
  }

  leave() {
    this.source?.close();
    Object.assign(this, { source: null, key: null, state: null, shown: null, connected: false });
    this.draw();
  }

  /** Leaves the game, and its link. */
  close() {
    this.leave();
    if (liveKeyOfAddress() !== null) history.replaceState(null, "", location.pathname);
  }

  /** The connection is lost. The browser connects again, unless the server has refused. */
  async lose(source) {
    this.connected = false;
    this.draw();
    if (source.readyState !== EventSource.CLOSED) return;
    const { key } = this;
    try {
      await liveState(key);
    } catch (error) {
      if (this.key !== key) return;
      if (error.status === 404 || error.status === 400) {
        this.forget(brokenLink(error));
        return;
      }
    }
    setTimeout(() => { if (this.key === key && this.source === source) this.connect(); }, RETRY);
  }

  /** The server does not have the game any more; what is shown of it stays. */
  async forget(message) {
    save(SEAT + this.key, null);
    const shown = this.shown !== null;
    const left = this.controller.game;
    this.close();
    if (shown) await this.begin(plain(left));
    this.notify(message);
    this.opened(false);
  }

  /** Takes a state from an event or an answer, or again the one that could not be shown. */
  async take(state) {
    if (this.state && this.state !== state && state.version <= this.state.version) return;
    const first = this.state === null;
    const offered = state.side !== null && this.state?.draw_offer === state.side;
    if (offered && state.draw_offer === null && !state.result && state.game.moves.length === this.state.game.moves.length) {
      this.notify(`${capital(other(state.side))} declines the draw.`);
    }
    this.state = state;
    this.connected = true;
    this.controller.liveSince = performance.now() - state.spent;
    if (state.result) save(SEAT + this.key, null);
    else if (first && state.side !== null) save(SEAT + this.key, invitation(this.key));
    const { controller, settings } = this;
    const text = JSON.stringify(state.game);
    if (this.shown !== text) {
      this.shown = text;
      if (first) settings.set("flipped", state.side === "black");
      const game = Object.assign(new Game(state.game, this.seats(state.side)), { live: this.key, paused: !state.begun });
      const shown = await (state.result ? this.begin(plain(game)) : controller.show(game));
      // Unless a later state has taken its place.
      if (!shown && this.shown !== text) return;
      // If the visitor went on from it before it was shown, or the server refuses it, there is nothing to try again.
      if (controller.failure !== null && controller.failure.status !== 400) {
        this.shown = null;
        setTimeout(() => { if (this.state === state) this.take(state); }, RETRY);
      }
      this.opened(shown);
    } else if (controller.game.live === this.key) {
      controller.pause(!state.begun);
    }
    this.draw();
  }

  seats(side) {
    const seat = (it) => (it === side ? "person" : "remote");
    return { ...PEOPLE, players: { white: seat("white"), black: seat("black") } };
  }

  /** Opens the game of a key if it goes on and this browser has a seat in it; returns whether it does. */
  back(key) {
    const goesOn = seats().includes(key);
    if (goesOn) location.hash = PREFIX + key;
    return goesOn;
  }

  /** Shows the links for the others. */
  invite() {
    const { side, friend, watch } = invitation(this.key);
    say(byId("invite-side"), `Link for your friend, who plays ${capital(side)}`);
    byId("invite-friend").value = linkOf(friend);
    byId("invite-watch").value = linkOf(watch);
    byId("invite-here").hidden = !/^(localhost|127\.|\[::1\])/.test(location.hostname);
    open("invite");
  }

  text() {
    const { state: { side, here, draw_offer: offer, begun }, connected } = this;
    if (!connected) return "The connection is lost. Trying again…";
    if (side === null) return "You are watching a live game.";
    const friend = other(side);
    if (offer) return offer === side ? "You have offered a draw." : `${capital(friend)} offers a draw.`;
    if (here[friend]) return `You play ${capital(side)} against a friend.`;
    return begun ? `${capital(friend)} is not connected.` : `Waiting until ${capital(friend)} opens the link.`;
  }

  draw() {
    const { state } = this;
    const here = state !== null && this.controller.game?.live === this.key;
    const left = !here && seats().length > 0;
    byId("live").hidden = !here && !left;
    document.title = here && state.begun && this.controller.mayMove() ? `● ${t("Your move")} – Fanorona` : "Fanorona";
    if (here || left) say(byId("live").querySelector("span"), here ? this.text() : "Your live game goes on.");
    const offered = here && this.connected && state.side !== null && state.draw_offer === other(state.side);
    byId("live-accept").hidden = byId("live-decline").hidden = !offered;
    byId("live-invite").hidden = !here || offered || !invitation(this.key).friend;
    byId("live-return").hidden = !left;
  }
}

/** The game without its players elsewhere. */
function plain(game) {
  const friend = ["white", "black"].find((side) => game.sides() === other(side)) ?? null;
  return Object.assign(game.copy(), { live: null, friend, seats: structuredClone(PEOPLE), paused: false });
}
