// What the page asks of its service worker.

/** Where service workers are; missing where the browser has none, or does not allow any at this address. */
export const workers = navigator.serviceWorker;

/** Sends an action to a service worker; resolves to its answer. `progress(bytes)` is called as it goes on. */
export function act(worker, action, details = {}, progress = () => {}) {
  const { port1: port, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    port.onmessage = ({ data }) => {
      if ("bytes" in data) progress(data.bytes);
      else if ("failed" in data) reject(new Error(data.failed));
      else resolve(data.done);
    };
    worker.postMessage({ action, ...details }, [port2]);
  });
}
