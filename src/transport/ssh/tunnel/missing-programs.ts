import { outside } from "../../outside.ts";

/** The programs that open a tunnel, and what to install for each. */
const programs = {
  sessionManager: { aws: "the AWS CLI", "session-manager-plugin": "AWS's Session Manager plugin" },
  iap: { gcloud: "the Google Cloud CLI" },
} as const;

/** A program that is missing on this machine. */
export interface MissingProgram {
  readonly program: string;
  /** What to install: `the AWS CLI`. */
  readonly comesWith: string;
}

/**
 * The programs that are needed to open a tunnel, but are missing on this machine. Rejects if no process can be started.
 */
export async function missingPrograms(through: keyof typeof programs): Promise<readonly MissingProgram[]> {
  const all = Object.entries(programs[through]);
  const there = await Promise.all(all.map(([program]) => isThere(program)));
  return all.flatMap(([program, comesWith], at) => (there[at] === true ? [] : [{ program, comesWith }]));
}

function isThere(program: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = outside.spawn("sh", ["-c", 'command -v "$1" >/dev/null', "sh", program], { stdio: "ignore" });
    child.once("error", reject);
    child.once("close", (code) => resolve(code === 0));
  });
}
