import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shellQuote } from "../../src/core/host/step.ts";
import { covered } from "../covered.ts";
import { runOnTerminal, type Shown } from "../screens/terminal-run.ts";
import { found } from "./needles.ts";
import { planted } from "./planted.ts";
import { plantedHost, type PlantedHost } from "./planted-host.ts";

let here: PlantedHost;
beforeAll(async () => {
  here = await plantedHost("secrets-reports");
});
afterAll(() => here.down());

/** Runs the same command on a terminal that is wide enough to avoid line breaks. */
function onTerminal(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Shown> {
  return runOnTerminal(words, { columns: 400, rows: 80, folder: here.screens.folder, env });
}

/** Searches a report both as it was printed and without the terminal's control sequences. */
function shownIn(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return [text, stripVTControlCharacters(text), text.replaceAll(/\r?\n/g, "")].flatMap((look) =>
    found(Buffer.from(look).toString("latin1"), secrets),
  );
}

let runs = 0;
const show = async (words: readonly string[], terminal: boolean, env: Record<string, string> = {}): Promise<Shown> => {
  runs += 1;
  const whole = { ...here.env, ...env };
  return terminal ? onTerminal(words, whole) : here.screens.run(words, whole);
};

const reporters = [
  ["plain", false, []],
  ["plain -v --diff", false, ["-v", "--diff"]],
  ["--json --diff", false, ["--json", "--diff"]],
  ["live", true, []],
  ["live -v --diff", true, ["-v", "--diff"]],
] as const;

describe.each(reporters)("a report with %s", (_name, terminal, flags) => {
  test.each(["check", "run"])("shows no secret when a %s succeeds", async (word) => {
    const round = ["--var", `round=${runs}`];
    const { code, text } = await show(here.command(word, "playbook.ts", ...round, ...flags), terminal);
    expect(code, text).toBe(0);
    expect(text).toContain("/etc/planted/token");
    expect(shownIn(text, planted)).toEqual([]);
  });

  test.each(["check", "run"])("shows no secret when a %s fails", async (word) => {
    const { code, text } = await show(here.command(word, "playbook-failing.ts", ...flags), terminal);
    expect(code, text).toBe(1);
    expect(text).toContain("«secret");
    expect(shownIn(text, planted)).toEqual([]);
  });

  test("shows no secret when the playbook, a password or a passphrase is wrong", async () => {
    const wrong = `wr0ng '${planted.become}`;
    const secrets = { ...planted, wrong };
    const playbook: [string, ...string[]] = ["playbook.ts", "--var", "round=0", ...flags];
    const all = await Promise.all([
      show(here.command("run", "playbook-wrong.ts", ...flags), terminal),
      show(here.command("run", ...playbook), terminal, { PLANTED_BECOME: wrong }),
      show(here.command("run", ...playbook), terminal, { PLANTED_PASSPHRASE: wrong }),
      show(here.command("run", "playbook.ts", "--var", `token=${planted.var}`, ...flags), terminal),
    ]);
    const codes = all.map(({ text }) => /\bE_[A-Z_]+/.exec(stripVTControlCharacters(text))?.[0]);
    expect(codes).toEqual(["E_PARAMS", "E_BECOME", "E_SECRET", "E_VARS"]);
    expect(all.flatMap(({ text }) => shownIn(text, secrets))).toEqual([]);
  });
});

test("the search finds a secret in every form that a report could print", () => {
  const value = planted.var;
  const bytes = Buffer.from(value);
  const ways = [
    value,
    JSON.stringify({ value }),
    JSON.stringify(JSON.stringify({ value })),
    encodeURIComponent(value),
    shellQuote(value),
    bytes.toString("hex"),
    ...["", "x", "xx"].map((before) => Buffer.from(`${before}${value}`).toString("base64")),
    ...["", "x", "xx"].map((before) => Buffer.from(`${before}${value} and more`).toString("base64url")),
    `\u001B[1m${value.slice(0, 9)}\u001B[0m${value.slice(9)}`,
  ];
  expect(ways.filter((text) => shownIn(text, { value }).length === 0)).toEqual([]);
  covered(`${runs} reports of runs with ${Object.keys(planted).length} planted secrets`);
});
