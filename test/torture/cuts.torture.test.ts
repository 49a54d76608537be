import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { type Event, startFurrow, story, warnings } from "./controller.ts";
import { histogram, seeded, torturePoints, tortureSeed } from "../seeded.ts";
import { moving } from "./moving.ts";
import { type Loss, type Measure, TorturedHost } from "./tortured-host.ts";

const cuts = torturePoints(12);
// On a busy machine, this may take a long time; if the run hangs, `moving` detects that much earlier.
const timeout = 1_800_000;
const folder = mkdtempSync(join(tmpdir(), "furrow-torture-"));
let host: TorturedHost;
beforeAll(async () => {
  host = await TorturedHost.up("torture-cuts");
  symlinkSync(join(import.meta.dirname, "..", "..", "node_modules"), join(folder, "node_modules"));
  host.write(folder, work(60));
  // Installs the packages once. When they are removed, apt keeps any of their dependencies that another package
  // suggests, so these dependencies are present before every run.
  await host.sh("apt-get update -qq; apt-get install -y -qq sl tree >/dev/null 2>&1");
});
afterAll(async () => {
  await host.down();
  rmSync(folder, { recursive: true, force: true });
});

/** A part of the title of the task that prints until all planned losses have occurred. */
const holding = "/srv/hold";

/** A file on the host sets how long each command takes, so the same playbook can also run quickly. */
function work(count: number): string {
  const tasks = Array.from({ length: count }, (_, index) => {
    const log = `/srv/torture/log-${index}`;
    if (index === 10) return `t.package({ name: ["sl", "tree"] }),`;
    if (index % 5 === 4)
      return `t.file({ path: "/srv/torture/file-${index}", content: "content ${index}\\n".repeat(60) }),`;
    const talk = "printf '%3000s\\n' said";
    const holds = index === count - 2;
    const wait = holds ? `while [ -e ${holding} ]; do ${talk}; sleep 0.3; done` : `${talk}; sleep $(cat /srv/pace)`;
    const script = `echo begins ${index}; ${wait}; echo ${index} >>${log}; echo ends ${index}`;
    return `t.command({ command: ${JSON.stringify(script)}, creates: "${log}", disturbs: [] }),`;
  });
  return `import { playbook } from "furrow";
import * as t from "furrow/tasks";
export default playbook({ name: "Work", plays: [{ hosts: "all", tasks: () => [
t.file({ path: "/srv/torture", state: "directory" }),
${tasks.join("\n")}
] }] });\n`;
}

const state = (): Promise<string> => host.sh("cd /srv/torture && grep -r . . | sort; ls -la --time-style=+ . | sort");
const afresh = (pace: string): Promise<string> =>
  host.sh(
    `rm -rf /srv/torture; apt-get purge --autoremove -y -qq sl tree >/dev/null 2>&1; echo ${pace} >/srv/pace; ${pace === "0" ? "rm -f" : "touch"} /srv/hold`,
  );
const run = (): ReturnType<typeof startFurrow> => startFurrow(folder, "run", "work.ts", "-i", "inventory.ts", "-v");

/**
 * Matches the report of a lost connection. On a busy machine, a report about an unanswered keepalive may have a cause
 * other than this test.
 */
const notice =
  /^the connection was lost \((.+)\); connected again after \d+ s(; the host kept working in the meantime)?$/;
const noticed = (events: readonly Event[]): string[] => warnings(events).filter((text) => notice.test(text));

test(`a run that loses its connection ${cuts} times ends like an undisturbed run`, { timeout }, async () => {
  const random = seeded(tortureSeed);
  await afresh("0");
  const undisturbed = await moving(run(), ["the undisturbed run"], host);
  expect(undisturbed.code).toBe(0);
  const reference = await state();

  await afresh("0.5");
  const disturbed = run();
  const counts = new Map<string, number>();
  const plan: string[] = [];
  let done = 0;
  let toldBefore = 0;
  const falling: Promise<void>[] = [];
  const fall = async (loss: Loss, over: string): Promise<void> => {
    toldBefore = noticed(disturbed.soFar()).length;
    plan.push(`falls: ${loss}, ${over}`);
    try {
      await host.lose(loss, disturbed.ended);
    } catch (error) {
      disturbed.child.kill("SIGKILL");
      throw error;
    }
    done += 1;
    plan.push(`fell: ${loss}, ${over}`);
    counts.set(`${loss}, ${over}`, (counts.get(`${loss}, ${over}`) ?? 0) + 1);
    if (done === cuts) await host.sh("rm -f /srv/hold");
  };
  const hit = (fallen: Promise<void>): void => {
    fallen.catch(() => {});
    falling.push(fallen);
  };
  const losses: readonly Loss[] = ["reset", "reset", "half open", "half open", "sshd restarted"];
  // This loss or an earlier loss occurs during the transaction.
  let left = cuts - 1;
  const arm = (): void => {
    left -= 1;
    const loss = losses[random(losses.length)] ?? "reset";
    const measure: Measure = random(2) === 0 ? "bytes" : "starts";
    // A connection carries about 16 kB before the host reports what it has done.
    const count = 1 + random(measure === "bytes" ? 40_000 : 60);
    plan.push(`armed: ${loss}, after ${count} ${measure}`);
    host.after(measure, count, () =>
      hit(fall(loss, `by ${measure}`).then(() => (left > 0 ? arm() : void host.sh("echo 0 >/srv/pace")))),
    );
  };
  host.onStart(
    (line) => /execve\("\/usr\/bin\/dpkg", \["\/usr\/bin\/dpkg".*"--unpack"/.test(line),
    () => hit(fall("reset", "in a transaction of dpkg")),
  );
  arm();
  const ended = await moving(disturbed, plan, host);
  // Errors are checked before the losses, because after a failed run, a planned loss may still be waiting for a
  // connection that will never be opened.
  expect(ended.events.filter(({ error }) => error !== undefined)).toEqual([]);
  await Promise.all(falling);
  const told = noticed(ended.events);
  process.stdout.write(
    `${histogram(`${done} losses (seed ${tortureSeed}), reported in ${told.length} notices`, counts)}\n`,
  );
  expect(ended.code).toBe(0);
  expect(done).toBe(cuts);
  expect(story(ended.events, holding)).toEqual(story(undisturbed.events, holding));
  expect(await state()).toBe(reference);
  expect(await host.sh("dpkg --audit; dpkg-query -W -f '${Status}\\n' sl tree")).toBe(
    "install ok installed\n".repeat(2),
  );
  // The run does not wait for the end of its session on the host.
  const there = (): Promise<string> => host.sh("ls -A /run/furrow 2>/dev/null | grep -vxE 'units|taken' || :");
  await expect.poll(there, { timeout: 120_000 }).toBe("");
  // furrow reports all losses that occur before the next byte from the host as one loss. So there are at most as many
  // notices as losses, and there is a notice after the last loss.
  const lost = /^connection lost \((.*)\), reconnecting for up to 300 s$/;
  const pairs = told.flatMap((text) => [/^the connection was lost \(([^)]*)\)/.exec(text)?.[1], text]);
  expect(warnings(ended.events).map((text) => lost.exec(text)?.[1] ?? text)).toEqual(pairs);
  const ours = told.filter((text) => !text.includes("keepalive"));
  expect(ours.length).toBeLessThanOrEqual(done);
  expect(told.length).toBeGreaterThan(toldBefore);
  covered(`a run that lost its connection ${done} times (seed ${tortureSeed})`);
});
