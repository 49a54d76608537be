import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { histogram, seeded, tortureSeed } from "../seeded.ts";
import { startFurrow, story, warnings } from "./controller.ts";
import { type Measure, TorturedHost } from "./tortured-host.ts";

const kills = Number(process.env["FURROW_TORTURE_KILLS"] ?? 50);
const folder = mkdtempSync(join(tmpdir(), "furrow-torture-"));
const tasks = 8;
let host: TorturedHost;
beforeAll(async () => {
  host = await TorturedHost.up("torture-kills");
  symlinkSync(join(import.meta.dirname, "..", "..", "node_modules"), join(folder, "node_modules"));
  host.write(folder, work(0.15));
});
afterAll(async () => {
  await host.down();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command does it does once: its log would tell. */
function work(seconds: number): string {
  const list = Array.from({ length: tasks }, (_, index) => {
    const log = `/srv/torture/log-${index}`;
    if (index % 4 === 3) return `t.file({ path: "/srv/torture/file-${index}", content: "content\\n".repeat(500) }),`;
    const script = `sleep ${seconds}; echo ${index} >>${log}`;
    return `t.command({ command: ${JSON.stringify(script)}, creates: "${log}", disturbs: [] }),`;
  });
  return `import { playbook } from "furrow";
import * as t from "furrow/tasks";
export default playbook({ name: "Work", plays: [{ hosts: "all", tasks: () => [
t.file({ path: "/srv/torture", state: "directory" }),
${list.join("\n")}
] }] });\n`;
}

const state = (): Promise<string> =>
  host.sh("cd /srv/torture && grep -rc . . | sort; sha256sum file-*; ls -lA --time-style=+ . /srv");
const run = (): ReturnType<typeof startFurrow> => startFurrow(folder, "run", "work.ts", "-i", "inventory.ts");

test(
  `furrow killed ${kills} times: the next run takes up, finishes, and leaves nothing`,
  { timeout: 900_000 },
  async () => {
    process.stdout.write(`FURROW_TORTURE_SEED=${tortureSeed}\n`);
    const random = seeded(tortureSeed);
    expect((await run().ended).code).toBe(0);
    const reference = await state();
    const counts = new Map<string, number>();
    const count = (what: string): unknown => counts.set(what, (counts.get(what) ?? 0) + 1);
    for (let round = 0; round < kills; round += 1) {
      await host.sh("rm -rf /srv/torture");
      const first = run();
      const measure: Measure = round % 2 === 0 ? "bytes" : "starts";
      const point = 1 + random(measure === "bytes" ? 24_000 : 45);
      host.after(measure, point, () => first.child.kill("SIGKILL"));
      const { code } = await first.ended;
      host.spare();
      const next = await run().ended;
      const told = warnings(next.events);
      const waited = told.some((text) => text.includes("has lost its controller"));
      const took = told.find((text) => text.includes("was cut off"));
      count(
        `${code === null ? "killed" : "ended before"}, by ${measure}${waited ? ", waited for" : ""}${took ? ", told of" : ""}`,
      );
      const where = { round, measure, point, told };
      expect({ where, code: next.code, state: await state() }).toEqual({ where, code: 0, state: reference });
      expect({ where, left: await host.sh("ls -A /run/furrow 2>/dev/null | grep -vx units || :") }).toEqual({
        where,
        left: "",
      });
    }
    process.stdout.write(`${histogram(`${kills} kills`, counts)}\n`);
    const converged = story((await run().ended).events) as { outcome: string }[];
    expect(new Set(converged.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
    expect([...counts].filter(([name]) => name.includes("waited for")).length).toBeGreaterThan(0);
    covered(`furrow killed ${kills} times and run again (seed ${tortureSeed})`);
  },
);

test("a second furrow is refused with the holder's name while the first one works", async () => {
  await host.sh("rm -rf /srv/torture");
  host.write(folder, work(3));
  const first = run();
  await new Promise<void>((resolve) => host.after("starts", 12, resolve));
  const second = await run().ended;
  expect(second.code).toBe(75);
  expect(second.text).toMatch(/E_LOCKED[^]*run [0-9a-f]{12} of \w+@/);
  expect((await first.ended).code).toBe(0);
});
