// Short sounds of moves, captures and the end of a game, made by the browser; silent unless switched on.

/** Of a stone that is put down: the pitch in hertz, and seconds until it has died away. */
const PITCH = 190;
const LENGTH = 0.09;

export class Sounds {
  constructor(controller, settings) {
    Object.assign(this, { settings, context: null });
    controller.addEventListener("step", ({ detail }) => {
      this.knock(PITCH, 0);
      // A run of captured stones rattles, up to four of them.
      for (let i = 1; i <= Math.min(4, detail); i += 1) this.knock(PITCH * 1.6, 0.06 * i);
    });
    controller.addEventListener("over", () => [1, 1.25, 1.5].forEach((ratio, i) => this.knock(2 * PITCH * ratio, 0.15 + 0.12 * i)));
    settings.addEventListener("change", ({ detail }) => { if (detail === "sounds") this.knock(PITCH, 0); });
  }

  /** A knock of that pitch after a delay in seconds. */
  knock(pitch, delay) {
    if (!this.settings.sounds) return;
    this.context ??= new AudioContext();
    const { context } = this;
    // A browser lets a page sound only after a click or a key.
    if (context.state === "suspended") context.resume();
    const [tone, volume, begin] = [context.createOscillator(), context.createGain(), context.currentTime + delay];
    tone.type = "triangle";
    tone.frequency.setValueAtTime(pitch, begin);
    tone.frequency.exponentialRampToValueAtTime(pitch / 2, begin + LENGTH);
    volume.gain.setValueAtTime(0.25, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + LENGTH);
    tone.connect(volume).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + LENGTH);
  }
}
