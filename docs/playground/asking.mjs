// Questions to the worker. While it evaluates, only the newest texts wait for it.

export class Asking {
  constructor(worker) {
    this.worker = worker;
    this.last = 0;
    this.waiting = new Map();
    this.isEvaluating = false;
    this.next = undefined;
    worker.onmessage = ({ data: { id, answer, error } }) => {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    };
  }

  ask(question) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, question });
    });
  }

  /** Evaluates `texts`; calls `show` with the answer unless newer texts came meanwhile. */
  async evaluate(texts, show) {
    if (this.isEvaluating) {
      this.next = texts;
      return;
    }
    this.isEvaluating = true;
    let answer;
    try {
      answer = await this.ask({ ask: "evaluate", ...texts });
    } catch (error) {
      const message = error.message.startsWith("kadmit.wasm") ? error.message : `kadmit has a bug: ${error.message}`;
      answer = { admitted: false, text: message, failure: message, diagnostics: [], marks: [] };
    }
    this.isEvaluating = false;
    const next = this.next;
    this.next = undefined;
    if (next) return this.evaluate(next, show);
    show(answer, texts);
  }
}
