// The latest build of the server, whoever began it: looked at as long as it runs, and how it has ended.

import { buildState } from "./api.js";

/** Milliseconds between looks at a build. */
const INTERVAL = 500;

/** Events: `end` when a running build has ended, `change` after each look and each action, and after `end`. */
class LatestBuild extends EventTarget {
  constructor() {
    super();
    this.state = null;
    // Why the latest action failed.
    this.trouble = null;
    this.timer = null;
  }

  isRunning() {
    return this.state?.state === "running";
  }

  /** Looks at the build, again and again as long as it runs. */
  async look() {
    try {
      this.take(await buildState());
    } catch {
      // The server may be back soon.
      if (this.isRunning()) this.wait();
    }
  }

  /** Starts or stops a build. */
  async act(action) {
    this.trouble = null;
    try {
      // A small build may have ended already.
      this.take(await action(), true);
    } catch (error) {
      this.trouble = error.message;
      this.dispatchEvent(new Event("change"));
      // Another window may have begun a build.
      this.look();
    }
  }

  take(state, wasRunning = this.isRunning()) {
    this.state = state;
    const runs = this.isRunning();
    if (runs || wasRunning) this.trouble = null;
    clearTimeout(this.timer);
    if (runs) this.wait();
    if (wasRunning && !runs) this.dispatchEvent(new Event("end"));
    this.dispatchEvent(new Event("change"));
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), INTERVAL);
  }

  /** What is built. */
  title() {
    const { board, stones, proof } = this.state.build;
    return proof ? `Proving the value of the start of ${board}` : `Building tables of ${board} to ${stones} stones`;
  }

  /** The share that is done as a text, or `null`. */
  percent() {
    const { share } = this.state;
    return share === null ? null : `${Math.floor(100 * share)} %`;
  }

  /** What went wrong, or that it was stopped; otherwise `null`. */
  failure() {
    if (this.trouble) return this.trouble;
    if (this.state?.state === "failed") return this.state.message;
    return this.state?.state === "stopped" ? "The build was stopped. What is finished is kept." : null;
  }
}

export const latestBuild = new LatestBuild();
