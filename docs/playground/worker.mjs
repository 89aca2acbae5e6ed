// Runs the module next to the page, so that typing never waits for an evaluation.

import { load } from "./kadmit.mjs";

const module = fetch("kadmit.wasm").then((response) => {
  if (!response.ok) throw new Error("kadmit.wasm is not here: run build.sh");
  return response.arrayBuffer();
});
let ask = module.then(load);

self.onmessage = async ({ data: { id, question } }) => {
  try {
    const answer = (await ask)(question);
    self.postMessage({ id, answer });
  } catch (error) {
    // A panic leaves the module as it is; the next question gets a new one.
    ask = module.then(load);
    self.postMessage({ id, error: String(error.message ?? error) });
  }
};
