import { spawn } from "node:child_process";
import { join } from "node:path";
import { shellQuote } from "../../src/core/host/step.ts";

const bin = join(import.meta.dirname, "../../bin/furrow.js");

/** The terminal on which a command runs, and its environment. */
export interface OnTerminal {
  readonly columns: number;
  readonly rows: number;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The exit code of a command, and everything that it sent to its terminal. */
export interface Shown {
  readonly code: number;
  readonly text: string;
}

/** Runs furrow on a pseudo-terminal of this size. */
export function runOnTerminal(words: readonly string[], { columns, rows, folder, env }: OnTerminal): Promise<Shown> {
  return new Promise((resolve, reject) => {
    const furrow = [process.execPath, bin, ...words].map(shellQuote).join(" ");
    const command = `stty cols ${columns} rows ${rows}; ${furrow}`;
    const child = spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, TERM: "xterm-256color", LANG: "C.UTF-8", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, text: Buffer.concat(parts).toString("utf8") }));
  });
}
