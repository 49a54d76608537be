import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { histogram, seeded, torturePoints, tortureSeed } from "../seeded.ts";
import { type Event, startFurrow, story, warnings } from "./controller.ts";
import { type Measure, TorturedHost } from "./tortured-host.ts";

const kills = torturePoints(12);
const folder = mkdtempSync(join(tmpdir(), "furrow-torture-"));
let host: TorturedHost;
beforeAll(async () => {
  host = await TorturedHost.up("torture-kills");
  symlinkSync(join(import.meta.dirname, "..", "..", "node_modules"), join(folder, "node_modules"));
  host.write(folder, work());
});
afterAll(async () => {
  await host.down();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Each command must act exactly once; the command's log would show a repetition. A command waits while /tmp/hold
 * exists, and creates /tmp/begun to show that it is waiting.
 */
function work(): string {
  const list = Array.from({ length: 8 }, (_, index) => {
    const log = `/srv/torture/log-${index}`;
    if (index % 4 === 3) return `t.file({ path: "/srv/torture/file-${index}", content: "content\\n".repeat(500) }),`;
    const held = "while [ -e /tmp/hold ]; do echo >/tmp/begun; sleep 0.1; done";
    const script = `${held}; sleep 0.15; echo ${index} >>${log}`;
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
const left = (): Promise<string> => host.sh("ls -A /run/furrow 2>/dev/null | grep -vxE 'units|taken' || :");
const run = (): ReturnType<typeof startFurrow> => startFurrow(folder, "run", "work.ts", "-i", "inventory.ts");
const waits = (events: readonly Event[]): boolean =>
  warnings(events).some((text) => text.includes("has lost its controller"));

let reference = "";
/** The number of bytes and process starts in an undisturbed run. */
let whole: Readonly<Record<Measure, number>>;
beforeAll(async () => {
  const before = { bytes: host.proxy.passed(), starts: host.started };
  const { code, text } = await run().ended;
  if (code !== 0) throw new Error(text);
  whole = { bytes: host.proxy.passed() - before.bytes, starts: host.started - before.starts };
  reference = await state();
});
beforeEach(() => host.sh("rm -rf /srv/torture /tmp/hold /tmp/begun"));

test(`furrow killed ${kills} times: the next run resumes, finishes, and leaves nothing behind`, async () => {
  const random = seeded(tortureSeed);
  const points = new Map<string, number>();
  const ends = new Map<string, number>();
  const count = (counts: Map<string, number>, what: string): unknown => counts.set(what, (counts.get(what) ?? 0) + 1);
  for (let round = 0; round < kills; round += 1) {
    await host.sh("rm -rf /srv/torture");
    const first = run();
    const measure: Measure = round % 2 === 0 ? "bytes" : "starts";
    // One kill in each part of the run, so that even a few kills cover the whole run.
    const part = ((round >> 1) + random(1000) / 1000) / Math.ceil(kills / 2);
    const point = 1 + Math.floor(part * whole[measure]);
    host.after(measure, point, () => first.child.kill("SIGKILL"));
    const { code } = await first.ended;
    host.spare();
    const next = await run().ended;
    const told = warnings(next.events);
    const waited = waits(next.events) ? ", waited for" : "";
    const took = told.some((text) => text.includes("was cut off")) ? ", reported" : "";
    count(points, `${measure}, ${Math.floor(part * 10) * 10} to ${Math.floor(part * 10) * 10 + 10} %`);
    count(ends, `${code === null ? "killed" : "ended before"}${waited}${took}`);
    const where = { seed: tortureSeed, round, measure, point, told };
    expect({ where, code: next.code, state: await state() }).toEqual({ where, code: 0, state: reference });
    // The run does not wait for the end of its session on the host.
    await expect.poll(left, { timeout: 120_000, message: JSON.stringify(where) }).toBe("");
  }
  const title = `${kills} kills (seed ${tortureSeed}) over ${whole.bytes} bytes and ${whole.starts} program starts`;
  process.stdout.write(`${histogram(title, points)}\n${histogram("results", ends)}\n`);
  const converged = story((await run().ended).events) as { outcome: string }[];
  expect(new Set(converged.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
  covered(`furrow killed ${kills} times and rerun each time (seed ${tortureSeed})`);
});

test("a run waits for the task that a killed furrow left running, reports the task, and does not repeat it", async () => {
  await host.sh("touch /tmp/hold");
  const first = run();
  await host.sh("until [ -e /tmp/begun ]; do sleep 0.1; done");
  first.child.kill("SIGKILL");
  await first.ended;
  const next = run();
  await next.until(waits);
  await host.sh("rm /tmp/hold");
  const { code, events } = await next.ended;
  const told = expect.stringMatching(/^run [0-9a-f]{12} was cut off; its task .* ended well$/) as unknown;
  expect(warnings(events)).toContainEqual(told);
  expect({ code, state: await state(), left: await left() }).toEqual({ code: 0, state: reference, left: "" });
});

test("a second furrow is refused with the holder's name while the first is running", async () => {
  await host.sh("touch /tmp/hold");
  const first = run();
  await host.sh("until [ -e /tmp/begun ]; do sleep 0.1; done");
  const second = await run().ended;
  expect(second.code).toBe(75);
  expect(second.text).toMatch(/E_LOCKED[^]*run [0-9a-f]{12} by \w+@/);
  await host.sh("rm /tmp/hold");
  expect((await first.ended).code).toBe(0);
});
