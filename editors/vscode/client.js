// JSON-RPC over the pipes of a process, as the Language Server Protocol frames it.
"use strict";

const { spawn } = require("node:child_process");
const { pathToFileURL } = require("node:url");

class Client {
  /** Runs `program`; what it writes to standard error goes to `log`. */
  constructor(program, args, folder, log) {
    this.pending = new Map();
    this.handlers = new Map();
    this.last = 0;
    this.received = Buffer.alloc(0);
    this.queue = [];
    this.isReady = false;
    this.isStopped = false;
    this.folder = folder;
    this.failed = () => {};
    this.process = spawn(program, args, { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    this.process.stdout.on("data", (data) => this.read(data));
    this.process.stderr.on("data", (data) => log(data.toString()));
    this.process.stdin.on("error", () => {});
    this.process.on("error", (error) => this.end(`${program} cannot be run: ${error.message}`));
    this.process.on("exit", (code) => this.end(`the server ended with status ${code}`));
  }

  onNotification(method, handler) {
    this.handlers.set(method, handler);
  }

  onFailure(handler) {
    this.failed = handler;
  }

  async initialize() {
    const rootUri = this.folder ? pathToFileURL(this.folder).toString() : null;
    const workspace = { inlayHint: { refreshSupport: true }, codeLens: { refreshSupport: true } };
    const capabilities = { general: { positionEncodings: ["utf-16"] }, workspace };
    const result = await this.send("initialize", { processId: process.pid, rootUri, capabilities });
    this.write({ method: "initialized", params: {} });
    this.isReady = true;
    for (const message of this.queue.splice(0)) this.write(message);
    return result;
  }

  notify(method, params) {
    const message = { method, params };
    if (this.isReady) this.write(message);
    else this.queue.push(message);
  }

  /** Nothing where the server is gone or refuses. */
  request(method, params) {
    if (!this.isReady || this.isStopped) return Promise.resolve(undefined);
    return this.send(method, params).catch(() => undefined);
  }

  stop() {
    if (this.isStopped) return;
    this.isStopped = true;
    const end = () => {
      this.write({ method: "exit" });
      this.process.stdin.end();
    };
    this.send("shutdown", undefined).then(end, end);
  }

  send(method, params) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.write({ id, method, params });
    });
  }

  write(message) {
    const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${text.length}\r\n\r\n`);
    this.process.stdin.write(text);
  }

  read(data) {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const end = this.received.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.received.toString("latin1", 0, end))?.[1]);
      const next = end + 4 + length;
      if (!(this.received.length >= next)) return;
      const message = JSON.parse(this.received.toString("utf8", end + 4, next));
      this.received = this.received.subarray(next);
      this.take(message);
    }
  }

  take(message) {
    if (message.method === undefined) {
      const pending = this.pending.get(message.id);
      this.pending.delete(message.id);
      if (message.error) pending?.reject(new Error(message.error.message));
      else pending?.resolve(message.result);
    } else if (message.id === undefined) {
      this.handlers.get(message.method)?.(message.params);
    } else {
      this.write({ id: message.id, result: null });
      this.handlers.get(message.method)?.(message.params);
    }
  }

  end(message) {
    const was = this.isStopped;
    this.isStopped = true;
    for (const { reject } of this.pending.values()) reject(new Error(message));
    this.pending.clear();
    if (!was) this.failed(message);
  }
}

exports.Client = Client;
