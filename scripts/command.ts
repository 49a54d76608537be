import { spawn } from "node:child_process";

/** The result of a command. */
export interface Ended {
  readonly code: number;
  /** stdout and stderr, in the order in which they arrived. */
  readonly output: string;
  readonly seconds: number;
}

/**
 * Runs a command of the repository without showing its output, and returns the output; does not throw if the command
 * fails. `env` is added to this process's environment.
 */
export function quietly(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const started = performance.now();
  const [name, ...args] = command;
  const child = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
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
