import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { shellQuote } from "../../src/core/host/step.ts";
import { playbookOf, Screens } from "../screens/screens.ts";

const bin = join(import.meta.dirname, "../../bin/furrow.js");
const here = new Screens("", "");
const out = join(here.folder, "out");
afterAll(() => here.remove());
beforeEach(() => rmSync(out, { recursive: true, force: true }));

here.put(
  "asks.ts",
  playbookOf(`file({ path: "${out}", state: "directory" }),`).replace(
    "  plays:",
    '  confirm: ({ host }) => ({ lost: `the peace of ${host.name}`, typeBack: "peace" }),\n  plays:',
  ),
);

interface Shown {
  readonly code: number | null;
  /** The text that the terminal has shown, without control sequences. */
  readonly text: string;
}

/** Runs furrow on a terminal, with its stdin and stdout redirected, and types the keys when it asks. */
function typing(keys: string, ...flags: readonly string[]): Promise<Shown> {
  const words = [process.execPath, bin, "run", "asks.ts", "-i", "local", ...flags].map(shellQuote);
  const command = `${words.join(" ")} </dev/null >${shellQuote(join(here.folder, "stdout"))}`;
  return new Promise((settle, fail) => {
    const child = spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
      cwd: here.folder,
      env: { PATH: process.env["PATH"], HOME: here.folder, TERM: "xterm", NO_COLOR: "1", LANG: "C.UTF-8" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let text = "";
    let isTyped = false;
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (isTyped || !text.includes("to continue:")) return;
      isTyped = true;
      child.stdin.write(keys);
    });
    child.on("error", fail);
    child.on("close", (code) => settle({ code, text: stripVTControlCharacters(text).replaceAll("\r", "") }));
  });
}

describe("a playbook that asks for confirmation", () => {
  it("continues once the user has typed the name, which is echoed", async () => {
    const { code, text } = await typing("peacf\u007fe\r");
    expect(text).toContain("This will be lost for good:\n  the peace of local\nType peace to continue: peac");
    expect(code, text).toBe(0);
    expect(existsSync(out)).toBe(true);
  });

  it("changes nothing after a wrong name, an empty line, Ctrl-C or Ctrl-D", async () => {
    const other = await typing("war\r");
    expect(other.text).toMatch(/Type peace to continue: war\nE_REFUSED {2}peace was not typed back[^]*current +"war"/);
    const none = await typing("\r");
    expect(none.text).toMatch(/E_REFUSED[^]*current +nothing/);
    const cut = await typing("pea\u0003");
    expect(cut.text).toMatch(/Type peace to continue: pea\n+E_INTERRUPTED[^]*current +Ctrl-C/);
    const end = await typing("\u0004");
    expect(end.text).toMatch(/Type peace to continue: \n+E_INTERRUPTED[^]*current +end of input/);
    expect([other.code, none.code, cut.code, end.code]).toEqual([1, 1, 130, 130]);
    expect(existsSync(out)).toBe(false);
  });

  it("asks nothing with --yes or in check mode, and is refused without a terminal", async () => {
    const refused = await here.run(["run", "asks.ts", "-i", "local"]);
    expect(refused.text).toMatch(/^E_USAGE[^]*no terminal[^]*Pass --yes/);
    const check = await here.run(["check", "asks.ts", "-i", "local"]);
    expect(existsSync(out)).toBe(false);
    const sure = await here.run(["run", "asks.ts", "-i", "local", "--yes"]);
    expect([refused.code, check.code, sure.code]).toEqual([64, 0, 0]);
    expect(existsSync(out)).toBe(true);
  });
});
