import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { pathToFileURL } from "node:url";

/** A position in text; lines and characters are counted from 0. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/**
 * Asks the compiler what an editor would ask: talks to TypeScript 7's own language server over its standard streams.
 */
export class LanguageService {
  readonly #server: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #last = 0;
  #rest = Buffer.alloc(0);

  constructor(tsc: string, folder: string) {
    this.#server = spawn(tsc, ["--lsp", "--stdio"], { cwd: folder });
    this.#server.stdout.on("data", (part: Buffer) => this.#take(part));
  }

  async start(folder: string): Promise<void> {
    const uri = pathToFileURL(folder).href;
    const textDocument = { hover: { contentFormat: ["markdown", "plaintext"] }, completion: {}, diagnostic: {} };
    await this.#ask("initialize", { processId: process.pid, rootUri: uri, capabilities: { textDocument } });
    this.#tell("initialized", {});
  }

  open(path: string, text: string): void {
    const textDocument = { uri: pathToFileURL(path).href, languageId: "typescript", version: 1, text };
    this.#tell("textDocument/didOpen", { textDocument });
  }

  /** The text that an editor shows for the code under the pointer. */
  async hover(path: string, position: Place): Promise<string> {
    return JSON.stringify(await this.#ask("textDocument/hover", at(path, position)));
  }

  /** The names that an editor suggests. */
  async completions(path: string, position: Place): Promise<string[]> {
    const found = (await this.#ask("textDocument/completion", at(path, position))) as Items | Items["items"] | null;
    const items = found === null ? [] : "items" in found ? found.items : found;
    return items.map(({ label }) => label);
  }

  /** The messages for everything that an editor underlines. */
  async diagnostics(path: string): Promise<string[]> {
    const found = await this.#ask("textDocument/diagnostic", { textDocument: { uri: pathToFileURL(path).href } });
    return (found as { items: { message: string }[] }).items.map(({ message }) => message);
  }

  stop(): void {
    this.#server.kill();
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = (this.#last += 1);
    return new Promise((done) => {
      this.#waiting.set(id, done);
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  #tell(method: string, params: unknown): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  #send(message: object): void {
    const text = JSON.stringify(message);
    this.#server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #take(part: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, part]);
    for (;;) {
      const end = this.#rest.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/i.exec(this.#rest.subarray(0, Math.max(0, end)).toString())?.[1]);
      if (end < 0 || this.#rest.length < end + 4 + length) return;
      this.#answer(JSON.parse(this.#rest.subarray(end + 4, end + 4 + length).toString()) as Message);
      this.#rest = this.#rest.subarray(end + 4 + length);
    }
  }

  #answer({ id, method, result, error }: Message): void {
    if (id === undefined) return;
    // Requests from the server to the editor (settings, watching files) are all answered with null.
    if (method !== undefined) this.#send({ jsonrpc: "2.0", id, result: null });
    else if (typeof id === "number") {
      this.#waiting.get(id)?.(error ?? result);
      this.#waiting.delete(id);
    }
  }
}

interface Items {
  readonly items: readonly { readonly label: string }[];
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

function at(path: string, position: Place): object {
  return { textDocument: { uri: pathToFileURL(path).href }, position };
}
