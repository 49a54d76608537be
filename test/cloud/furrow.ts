import { execFile } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The outcome of one task. */
export interface Finished {
  readonly title: string;
  readonly outcome: string;
}

/** The result of a furrow command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly tasks: readonly Finished[];
}

/** Runs furrow as a user would, with JSON lines as output; never throws. */
export function furrow(...words: readonly string[]): Promise<Ended> {
  return new Promise((settle) => {
    const options = { cwd: root, maxBuffer: 1 << 28, env: { ...process.env, NO_COLOR: "1" } };
    execFile(process.execPath, ["bin/furrow.js", ...words], options, (error, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line.startsWith('{"'));
      const events = lines.map(
        (line) => JSON.parse(line) as { type: string; outcome: string; task: { title: string } },
      );
      const tasks = events
        .filter(({ type }) => type === "taskFinished")
        .map(({ outcome, task }) => ({ outcome, title: task.title }));
      settle({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr, tasks });
    });
  });
}
