// Requests to the program in its workers, in the form of requests to a server.

/** Requests that need no tables, only the rules. */
const RULES = /^\/api\/(game(\/why)?|record|[^/?]+\/start)$/;
/** Long requests: if an answer is no longer wanted, its worker is ended. */
const SEARCHES = /^\/api\/(search|game\/(reply|watch|draw|review)|practice)$/;

const kindOf = (path) => {
  const [plain] = path.split("?");
  if (RULES.test(plain)) return "rules";
  return SEARCHES.test(plain) ? "searches" : "tables";
};

/** A worker with a queue of requests, which it gets one after the other. */
class Desk {
  /** `start()` resolves to a worker; `ends` is whether an answer that is not wanted any more ends it. */
  constructor(start, ends) {
    Object.assign(this, { start, ends });
    // A promise of the worker, and the worker.
    this.starting = null;
    this.worker = null;
    // Those that are not answered yet; the worker has the first.
    this.requests = [];
  }

  /** Sends a request; resolves to a `Response` whose body comes as the worker writes it. */
  ask(request, signal) {
    return new Promise((resolve, reject) => {
      const asked = { request, resolve, reject, posted: false, answered: false, wanted: true };
      asked.body = new ReadableStream({ start: (writer) => { asked.writer = writer; } });
      signal?.addEventListener("abort", () => this.abort(asked, signal.reason), { once: true });
      this.requests.push(asked);
      if (this.requests.length === 1) this.post();
    });
  }

  /** Gives the first request to the worker. */
  async post() {
    const starting = this.starting ??= this.start();
    try {
      const worker = await starting;
      // The desk may have stopped it meanwhile.
      if (starting !== this.starting) worker.terminate();
      else if (worker !== this.worker) this.listen(worker);
    } catch (error) {
      if (starting === this.starting) this.end(error.message);
    }
    const [first] = this.requests;
    if (starting !== this.starting || !first || first.posted) return;
    first.posted = true;
    this.worker.postMessage(first.request);
  }

  listen(worker) {
    this.worker = worker;
    worker.addEventListener("message", ({ data }) => { if (worker === this.worker) this.take(data); });
    worker.addEventListener("error", () => { if (worker === this.worker) this.end("a worker of the page could not be started"); });
  }

  take({ status, chunk, end, failed }) {
    const [asked] = this.requests;
    if (failed !== undefined) {
      // Its memory may be corrupt.
      this.end(failed);
    } else if (status !== undefined) {
      asked.answered = true;
      asked.resolve(new Response(asked.body, { status, headers: { "content-type": "application/json" } }));
    } else if (chunk !== undefined) {
      if (asked.wanted) asked.writer.enqueue(chunk);
    } else if (end) {
      if (asked.wanted) asked.writer.close();
      this.next();
    }
  }

  next() {
    this.requests.shift();
    if (this.requests.length) this.post();
  }

  /** Ends the worker, and with it what it was asked. */
  end(sentence) {
    this.stop();
    const error = { error: { status: 500, message: sentence } };
    for (const { answered, wanted, resolve, writer } of this.requests.splice(0)) {
      if (!answered) resolve(Response.json(error, { status: 500 }));
      if (!answered || !wanted) continue;
      writer.enqueue(new TextEncoder().encode(`${JSON.stringify(error)}\n`));
      writer.close();
    }
  }

  stop() {
    this.worker?.terminate();
    this.worker = this.starting = null;
  }

  /** The answer is not wanted any more. */
  abort(asked, reason) {
    const place = this.requests.indexOf(asked);
    if (place < 0 || !asked.wanted) return;
    asked.wanted = false;
    if (asked.answered) asked.writer.error(reason);
    else asked.reject(reason);
    if (!asked.posted) {
      this.requests.splice(place, 1);
    } else if (this.ends) {
      this.stop();
      this.next();
    }
  }
}

/**
 * The program: `worker`, `program` and `catalog` are addresses, `only` the paths of the files to use, all if there is none. Its `fetch` is that of
 * a browser. Nothing is loaded before the first request.
 */
export function open({ worker, program, catalog, only }) {
  let parts = null;
  const load = async () => {
    const loaded = async (address) => {
      const response = await fetch(address);
      if (!response.ok) throw new Error(`cannot load ${new URL(address).pathname}: status ${response.status}`);
      return response;
    };
    // A host may send it with another content type than that of programs.
    const compiled = async () => WebAssembly.compile(await (await loaded(program.replace(/\.js$/, "_bg.wasm"))).arrayBuffer());
    const [module, text] = await Promise.all([compiled(), loaded(catalog).then((response) => response.text())]);
    return { program, module, catalog, text, only };
  };
  const start = async () => {
    parts ??= load();
    try {
      const first = await parts;
      const started = new Worker(worker, { type: "module" });
      started.postMessage(first);
      return started;
    } catch (error) {
      parts = null;
      throw error;
    }
  };
  const desks = { rules: new Desk(start, false), tables: new Desk(start, false), searches: new Desk(start, true) };
  return {
    fetch(path, { method = "GET", body = null, signal } = {}) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return desks[kindOf(path)].ask({ method, path, body }, signal);
    },
    /** Ends all workers. */
    close() {
      for (const desk of Object.values(desks)) desk.end("the program was ended");
    },
  };
}
