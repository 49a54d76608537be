import { spawn } from "node:child_process";
import { join } from "node:path";
import chalk from "chalk";

const root = join(import.meta.dirname, "../..");

/** The result of a furrow command: its exit code and its output. */
export interface Said {
  readonly code: number;
  readonly output: string;
}

/** Runs the real command as a user would; prints the command line, and passes its output through as it arrives. */
export function furrow(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
  process.stdout.write(`${chalk.cyan(`$ npx furrow ${argv.join(" ")}`)}\n`);
  return new Promise((resolve, reject) => {
    const color = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
    const child = spawn(process.execPath, [join(root, "bin/furrow.js"), ...argv], {
      cwd: root,
      env: { ...process.env, ...color, ...env },
      stdio: ["inherit", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString("utf8");
      process.stdout.write(data);
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
