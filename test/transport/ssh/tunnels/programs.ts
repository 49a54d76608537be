import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../../sshd.ts";

/** In the host suites, execPath is a wrapper. */
const node = process.env["FURROW_TEST_NODE"] ?? process.execPath;

const standIns = { aws: "aws", gcloud: "gcloud", "session-manager-plugin": "plugin" } as const;

/** The name of a program that opens tunnels, or that such a program starts. */
export type StandIn = keyof typeof standIns;

/**
 * Creates a folder for PATH with stand-ins for the clouds' programs, and with the shell programs that furrow itself
 * needs to start them.
 */
export function folderWith(...names: readonly StandIn[]): string {
  const folder = temporaryFolder();
  for (const name of names) {
    const script = fileURLToPath(new URL(`stand-in-${standIns[name]}.ts`, import.meta.url));
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nexec "${node}" --no-warnings "${script}" "$@"\n`);
    chmodSync(path, 0o755);
  }
  for (const name of ["sh", "sleep"]) {
    const path = execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" }).trim();
    symlinkSync(path, join(folder, name));
  }
  return folder;
}

/** The ids of the running processes whose command line matches. */
export function processesWith(pattern: string): number[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => new RegExp(pattern).test(commandLine(id))).map(Number);
}

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
