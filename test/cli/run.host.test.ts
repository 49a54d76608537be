import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { stampPath } from "../../src/core/host/stamp.ts";
import { stampedBytes } from "../../src/core/host/stamped-bytes.ts";
import { playbookOf, Screens } from "../screens/screens.ts";

const here = new Screens("", "");
const out = join(here.folder, "out");
afterAll(() => here.remove());
beforeEach(() => rmSync(out, { recursive: true, force: true }));

here.put(
  "site.ts",
  playbookOf(
    `file({ path: "${out}", state: "directory" }),\nfile({ path: "${out}/motd", content: "hello\\n" }, { tags: ["motd"] }),`,
  ),
);
const run = (...args: string[]): ReturnType<Screens["run"]> => here.run(["run", "site.ts", "-i", "local", ...args]);

describe("furrow run", () => {
  it("converges, and changes nothing the second time", async () => {
    const first = await run();
    expect(first.text).toContain("2 changed, 0 ok on 1 host");
    expect(readFileSync(join(out, "motd"), "utf8")).toBe("hello\n");
    const second = await run();
    expect(second.text).toContain("0 changed, 2 ok on 1 host");
    expect([first.code, second.code]).toEqual([0, 0]);
  });

  it("shows by the exit code of a check whether anything would change, and leaves the host unchanged", async () => {
    const before = await run("--check", "--exit-code");
    expect(before.text).toContain("2 would change");
    expect(existsSync(out)).toBe(false);
    await run();
    const after = await run("--check", "--exit-code");
    expect([before.code, after.code]).toEqual([2, 0]);
  });

  it("runs only the tasks that tags and --start-at select", async () => {
    await run();
    expect((await run("--tags", "motd")).text).toContain("0 changed, 1 ok");
    expect((await run("--skip-tags", "motd")).text).toContain("0 changed, 1 ok");
    expect((await run("--start-at", `file ${out}/*`)).text).toContain("0 changed, 1 ok");
  });

  it("refuses a mistyped tag even if the tasks depend on the host's facts", async () => {
    here.put(
      "facts.ts",
      `import { playbook } from "furrow";
import { file } from "furrow/tasks";
const tasks = ({ facts }) => [facts.os.id !== "" && file({ path: "${out}", state: "directory" }, { tags: ["conf"] })];
export default playbook({ name: "Facts", plays: [{ hosts: "all", tasks }] });`,
    );
    const seen = await here.run(["run", "facts.ts", "-i", "local", "--no-types", "--tags", "cnof"]);
    expect(seen.text).toContain("--tags cnof selects no task");
    expect(seen.text).toContain("Write --tags conf");
    expect(seen.code).toBe(64);
  });

  it.runIf(process.getuid?.() === 0)("with --verify, does not trust stamps", async () => {
    const [path, source] = [join(here.folder, "image"), join(here.folder, "source")];
    onTestFinished(() => rmSync(stampPath(path), { force: true }));
    writeFileSync(source, Buffer.alloc(stampedBytes, "x"));
    here.put("large.ts", playbookOf(`file({ path: "${path}", source: "${source}" }),`));
    const large = (...args: string[]): ReturnType<Screens["run"]> =>
      here.run(["run", "large.ts", "-i", "local", ...args]);
    expect((await large()).text).toContain("1 changed, 0 ok");
    const stamp = readFileSync(stampPath(path), "utf8");
    writeFileSync(stampPath(path), stamp.replace(/^sha256=.{64}/m, `sha256=${"0".repeat(64)}`));
    expect((await large("--check")).text).toContain("1 would change");
    expect((await large("--check", "--verify")).text).toContain("0 would change");
  });

  it("with --paranoid, does not trust tasks: an undeclared change is an error", async () => {
    const command = `command({ command: "echo bye >${out}/motd", creates: "${out}/done", disturbs: ["file:${out}/done"] })`;
    const motd = `file({ path: "${out}/motd", content: "hello\\n" })`;
    const tasks = `file({ path: "${out}", state: "directory" }), ${command}, ${motd},`;
    here.put("lying.ts", playbookOf(tasks, { imports: "command, file" }));
    const seen = await here.run(["run", "lying.ts", "-i", "local", "--paranoid"]);
    expect(seen.code).toBe(1);
    expect(seen.text).toMatch(/E_UNDECLARED/);
    expect(seen.text).toContain("/motd, which the task neither names nor declares");
    expect((await run("--paranoid")).code).toBe(0);
    expect((await run("--paranoid", "--check")).text).toContain("Leave out --check");
  });

  it("prints nothing but JSON lines on stdout with --json", async () => {
    const seen = await run("--json");
    const lines = seen.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { schema: number; type: string });
    expect(lines.at(0)?.type).toBe("runStarted");
    expect(lines.at(-1)?.type).toBe("runFinished");
    expect(lines.every(({ schema }) => schema === 2)).toBe(true);
    expect(seen.stderr).toBe("");
    const wrong = await run("--json", "--limit", "nobody");
    expect(JSON.parse(wrong.stdout)).toMatchObject({ type: "error", error: { code: "E_PATTERN" } });
    expect(wrong.stderr).toMatch(/^E_PATTERN/);
    expect(wrong.code).toBe(64);
  });

  it("gives the exit code of failed hosts precedence over that of unreachable hosts", async () => {
    const inventory = `import { inventory } from "furrow";
export default inventory({ hosts: {
  fails: { transport: "local" },
  lost: { address: "127.0.0.1", port: 1, user: "x", password: secret.env("PW"), hostKeyPolicy: "off", connectTimeoutSeconds: 1 },
} });\n`;
    here.put("mixed.ts", inventory.replace("{ inventory }", "{ inventory, secret }"));
    here.put("fail.ts", playbookOf('command({ command: "exit 1", always: true }),', { imports: "command" }));
    const env = { PW: "not needed" };
    const both = await here.run(["run", "fail.ts", "-i", "mixed.ts"], env);
    const lost = await here.run(["run", "fail.ts", "-i", "mixed.ts", "--limit", "lost"], env);
    expect([both.code, lost.code]).toEqual([1, 3]);
  });

  it("stops after the current task at the first Ctrl-C, and immediately at the second", async () => {
    const tasks = [1, 2].map(
      (n) => `command({ command: "echo begun; sleep 12; touch ${out}-${n}", always: true, disturbs: [] }),`,
    );
    here.put("slow.ts", playbookOf(tasks.join("\n"), { imports: "command" }));
    const once = await interrupted(["run", "slow.ts", "-i", "local", "-v"], 1);
    expect(once.code).toBe(130);
    expect(once.text).toContain(
      "stopping: interrupted, so each host finishes its current task; press Ctrl-C again to stop",
    );
    expect(once.text).toMatch(/^ {2}local {2}1 changed, 1 not reached /m);
    expect([existsSync(`${out}-1`), existsSync(`${out}-2`)]).toEqual([true, false]);
    const started = Date.now();
    const twice = await interrupted(["run", "slow.ts", "-i", "local", "-v"], 2);
    expect(twice.code).toBe(130);
    expect(Date.now() - started).toBeLessThan(once.milliseconds);
  });

  it("ends with a recap soon after the second Ctrl-C, even if the running step cannot be ended", async () => {
    const task = `command({ command: "trap '' TERM; echo begun; sleep 30", always: true, disturbs: [] }),`;
    here.put("deaf.ts", playbookOf(`${task}\n${task}`, { imports: "command" }));
    const { code, text, milliseconds } = await interrupted(["run", "deaf.ts", "-i", "local", "-v"], 2);
    expect(code).toBe(130);
    expect(text).toContain("stopping the running steps, except package transactions; furrow waits 3 s at most");
    expect(text).toMatch(/^ {2}local {2}1 failed, 1 not reached /m);
    expect(milliseconds).toBeLessThan(15_000);
    // The next run on this machine waits for the step and reports it. That run is started here, so that no other test's
    // output begins with the report.
    const next = await run("--wait-lock", "30");
    expect([next.code, next.text]).toEqual([0, expect.stringContaining("was cut off")]);
  });

  it("prints no error when the program that reads its output exits", async () => {
    const child = spawn("sh", ["-c", '"$0" "$1" doc file | head -1', process.execPath, bin], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    child.stdout.on("data", (part: Buffer) => (text += part.toString()));
    child.stderr.on("data", (part: Buffer) => (text += part.toString()));
    await new Promise((resolve) => child.on("close", resolve));
    expect(text).toBe("file\n");
  });
});

const bin = join(import.meta.dirname, "../../bin/furrow.js");

/** Sends Ctrl-C once the first step is running. Returns the time from the last Ctrl-C to the end. */
async function interrupted(
  args: readonly string[],
  times: number,
): Promise<{ code: number | null; text: string; milliseconds: number }> {
  let started = Date.now();
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: here.folder,
    env: { PATH: process.env["PATH"], HOME: here.folder, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const running = new Promise<void>((resolve) => {
    const add = (part: Buffer): void => {
      text += part.toString();
      if (/ \| begun/.test(text)) resolve();
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await running;
  for (let sent = 0; sent < times; sent += 1) {
    child.kill("SIGINT");
    started = Date.now();
    await sleep(100);
  }
  return { code: await ended, text, milliseconds: Date.now() - started };
}

describe("secrets", () => {
  const token = "correct horse battery 'staple' & more";
  const forms = [
    token,
    "correct horse",
    Buffer.from(token).toString("base64"),
    Buffer.from(token).toString("hex"),
    encodeURIComponent(token),
    JSON.stringify(token).slice(1, -1),
  ];
  const tasks = `
file({ path: "${out}", content: secret.env("TOKEN"), mode: "0600" }),
file({ path: "${out}-2", content: \`token=\${secret.env("TOKEN")}\\n\`, mode: "0600" }),
command({ command: "cat; printf '%s' \\"$IT\\" | base64; printf '%s' \\"$IT\\" | od -An -tx1 | tr -d ' \\\\n'; echo; exit $CODE", stdin: secret.env("TOKEN"), env: { IT: secret.env("TOKEN"), CODE: vars.code }, always: true }),`;
  here.put(
    "secret.ts",
    playbookOf(tasks, { imports: "command, file", vars: "z.object({ code: z.string() })" }).replace(
      "playbook, z",
      "playbook, secret, z",
    ),
  );

  it.each([
    [["check", "--diff"], 0],
    [["check", "--json"], 0],
    [["run", "-v", "--diff"], 0],
    [["run", "-v"], 3],
    [["run", "--json", "-v"], 0],
    [["run", "--json"], 3],
    [["list"], 0],
  ])("do not appear in the output of the command %j, which exits with code %i", async ([verb = "", ...flags], code) => {
    rmSync(out, { force: true });
    rmSync(`${out}-2`, { force: true });
    const args = [verb, "secret.ts", "-i", "local", "--var", `code="${code}"`, ...flags];
    const seen = await here.run(args, { TOKEN: token });
    expect(seen.code).toBe(code === 0 ? 0 : 1);
    const said = seen.stdout + seen.stderr;
    for (const form of forms) expect(said).not.toContain(form);
    const written = existsSync(out) ? [readFileSync(out, "utf8"), statSync(out).mode & 0o777] : undefined;
    expect(written).toEqual(verb === "run" ? [token, 0o600] : undefined);
    // Where the step's output is shown, the secret is masked.
    expect(said.includes("«secret TOKEN»")).toBe(
      verb === "run" && (flags.includes("-v") || flags.includes("--json") || code !== 0),
    );
  });

  it("are asked for on the terminal, without echo, before the run", async () => {
    here.put(
      "ask.ts",
      playbookOf(`file({ path: "${out}", content: secret.prompt("The token"), mode: "0600" }),`).replace(
        "{ playbook }",
        "{ playbook, secret }",
      ),
    );
    const command = `'${process.execPath}' '${bin}' run ask.ts -i local`;
    const child = spawn("script", ["-qefc", command, "/dev/null"], {
      cwd: here.folder,
      env: { PATH: process.env["PATH"], HOME: here.folder, NO_COLOR: "1", TERM: "xterm", CI: "1" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (part: Buffer) => {
      text += part.toString();
      if (text.endsWith("The token: ")) child.stdin.write("typo\u0015open sesamee\u007f\r");
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code).toBe(0);
    expect(readFileSync(out, "utf8")).toBe("open sesame");
    expect(text).not.toMatch(/sesame|typo/);
    expect(text.indexOf("The token:")).toBeLessThan(text.indexOf("running"));
  });
});
