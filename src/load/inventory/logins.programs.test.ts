import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let state: string;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "furrow-logins-"));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** Runs code with `logins` in its own process, because the file is written when the process exits. */
function inProcess(code: string): string {
  const module = JSON.stringify(join(import.meta.dirname, "logins.ts"));
  const program = `const { keptLogins } = await import(${module}); const logins = keptLogins(); ${code}`;
  const env = { ...process.env, XDG_STATE_HOME: state };
  return execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8", env });
}

test("keeps an entry for the next process, and drops a deleted one", () => {
  inProcess(`logins.set("a@h:22", "key /k"); logins.set("b@h:22", "agent")`);
  expect(inProcess(`console.log([...logins].flat().join(" ")); logins.delete("b@h:22")`)).toBe(
    "a@h:22 key /k b@h:22 agent\n",
  );
  expect(inProcess(`console.log([...logins].flat().join(" "))`)).toBe("a@h:22 key /k\n");
});

test("ignores invalid JSON, and a file that cannot be written", () => {
  inProcess(`logins.set("a@h:22", "agent")`);
  const file = join(state, "furrow/logins.json");
  writeFileSync(file, "no JSON");
  expect(inProcess(`console.log(logins.size)`)).toBe("0\n");
  rmSync(join(state, "furrow"), { recursive: true });
  writeFileSync(join(state, "furrow"), "in the way");
  expect(inProcess(`logins.set("a@h:22", "agent"); console.log(logins.size)`)).toBe("1\n");
  expect(readFileSync(join(state, "furrow"), "utf8")).toBe("in the way");
});
