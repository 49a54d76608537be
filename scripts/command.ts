import { spawn } from "node:child_process";

/** How a command ended. */
export interface Ended {
  readonly code: number;
  /** stdout and stderr in the order they came. */
  readonly output: string;
  readonly seconds: number;
}

/** Runs a command of the repository quietly and returns its output; never throws if the command fails. */
export function quietly(command: readonly [string, ...string[]]): Promise<Ended> {
  const started = performance.now();
  const [name, ...args] = command;
  const child = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve) => {
    const end = (code: number): void => resolve({ code, output, seconds: (performance.now() - started) / 1000 });
    child.on("error", (error) => {
      output += error.message;
      end(127);
    });
    child.on("close", (code) => end(code ?? 1));
  });
}
