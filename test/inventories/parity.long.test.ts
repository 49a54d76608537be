import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { covered } from "../covered.ts";
import type { Case } from "./case.ts";
import { corpus, lay, type Laid, listed, withoutSecrets } from "./harness.ts";
import { randomCases } from "./random.ts";

/**
 * Compares `furrow inventory --list --format ansible` with the real `ansible-inventory --list`, over the whole corpus.
 * Ansible's output is recorded in recorded.jsonl, so the unit tests can compare furrow with it without Ansible.
 * FURROW_RECORD=1 rewrites that file, and FURROW_PARITY_SEED generates other random inventories.
 */
const root = mkdtempSync(join(tmpdir(), "furrow-parity-"));
const recorded = join(import.meta.dirname, "recorded.jsonl");
const home = join(root, "home");
mkdirSync(home);
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };
afterAll(() => rmSync(root, { recursive: true, force: true }));

const seed = Number(process.env["FURROW_PARITY_SEED"] ?? 1);

const wordsOf = ({ inventories, vault }: Laid): string[] => [
  ...inventories.flatMap((path) => ["-i", path]),
  ...vault.flatMap((path) => ["--vault-password-file", path]),
  "--list",
];

/** Ansible is loaded once; a forked process reads each inventory. */
const driver = `
import json, os, sys
from ansible.cli.inventory import main
for number, words in enumerate(json.load(sys.stdin)):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(f"{number}.out", os.O_WRONLY | os.O_CREAT), 1)
        try:
            main(["ansible-inventory", *words])
            status = 0
        except SystemExit as end:
            status = end.code or 0
        sys.stdout.flush()
        os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"ansible-inventory fails for {words}")
`;

/** Lists these inventories with both programs, compares the results, and returns ansible-inventory's output. */
async function compared(cases: readonly Case[]): Promise<unknown[]> {
  const laid = cases.map((one) => lay(one, root));
  const cwd = mkdtempSync(join(root, "answers-"));
  execFileSync("/usr/bin/python3", ["-c", driver], {
    env,
    cwd,
    input: JSON.stringify(laid.map(wordsOf)),
    stdio: "pipe",
  });
  const theirs = cases.map((_one, index) => JSON.parse(readFileSync(join(cwd, `${index}.out`), "utf8")) as unknown);
  const ours = await Promise.all(laid.map(listed));
  const named = (values: readonly unknown[]): object =>
    Object.fromEntries(cases.map(({ name }, index) => [name, values[index]]));
  expect(named(ours)).toEqual(named(theirs.map((value, index) => withoutSecrets(value, ours[index]))));
  return theirs;
}

it(`lists ${corpus.length} inventories as ansible-inventory does`, async () => {
  const theirs = await compared(corpus);
  const lines = corpus.map(({ name }, index) => `${JSON.stringify({ name, listed: theirs[index] })}\n`).join("");
  if (process.env["FURROW_RECORD"] === "1") writeFileSync(recorded, lines);
  expect(readFileSync(recorded, "utf8")).toBe(lines);
  expect(corpus.length).toBeGreaterThanOrEqual(40);
});

it("lists 60 random inventories as ansible-inventory does", async () => {
  expect(await compared(randomCases(60, seed))).toHaveLength(60);
  covered(
    `${corpus.length} handwritten and 60 random inventories (seed ${seed}) listed as ansible-inventory lists them`,
  );
});

it("prints the same list from the command line", () => {
  const one = corpus.find(({ name }) => name === "two inventories with their own vars");
  if (one === undefined) throw new Error("the corpus has changed");
  const words = wordsOf(lay(one, root));
  const furrow = join(import.meta.dirname, "../../bin/furrow.js");
  const ours = execFileSync(process.execPath, [furrow, "inventory", ...words, "--format", "ansible"], {
    env,
    cwd: home,
  });
  const theirs = execFileSync("ansible-inventory", words, { env, cwd: home });
  expect(JSON.parse(String(ours))).toEqual(JSON.parse(String(theirs)));
});
