import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { FrameItem, Session } from "../../../core/host/frame.ts";
import type { Link } from "../../../core/host/transport.ts";
import { CutLink } from "../fixtures/cut-link.fixture.ts";
import { shellsHere } from "../fixtures/local-shells.fixture.ts";
import { TinyFolders } from "../fixtures/tiny-folders.fixture.ts";
import type { RunClaim } from "./wait-for-lock.ts";
import { orderScript } from "../session/order-script.ts";
import { openFrameSession } from "../session/session.ts";

// This folder is not below /tmp, because /tmp is a small file system inside the namespace.
const folder = mkdtempSync("/var/lib/furrow-folders-");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const never = new AbortController().signal;
const sessions: Session[] = [];
const mounted: TinyFolders[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  for (const folders of mounted.splice(0)) folders.unmount();
});

async function tiny(options: string): Promise<TinyFolders> {
  const folders = await TinyFolders.mount(options);
  mounted.push(folders);
  return folders;
}

const steps = (task: string, script: string): FrameItem => ({
  item: "steps",
  task,
  title: task,
  steps: [{ step: "run", argv: ["sh", "-c", script] }],
});
const run = (id: string): RunClaim => ({ id, holder: "anna@laptop", since: "2026-11-30", waitSeconds: 0 });
const fill = "dd if=/dev/zero of=/run/fill bs=4096 2>/dev/null; true";
const free = "rm -f /run/fill";

async function opened(link: Link, relink: () => Promise<Link>, by: RunClaim | undefined): Promise<Session> {
  const options = { host: "here", user: "root", become: undefined, signal: never };
  const session = await openFrameSession({ ...options, link, relink, ...(by !== undefined && { run: by }) });
  sessions.push(session);
  return session;
}

const cases = [
  ["a command", "has room again", fill, free, undefined],
  ["a task", "has room again", fill, free, "roomy"],
  ["a command", "is full by then", free, fill, undefined],
  ["a task", "is full by then", free, fill, "full"],
] as const;

describe.each(shellsHere)("in %s, after a lost connection", (shell) => {
  test.each(cases)("%s does not run twice if /run %s", async (_what, _state, before, meanwhile, id) => {
    const name = `${shell}-${cases.findIndex(([, , first, , by]) => first === before && by === id)}`;
    const folders = await tiny("size=256k");
    folders.run(before);
    const [mark, go] = [at(`mark-${name}`), at(`go-${name}`)];
    const link = (): Link => folders.link(shell, folder);
    const cable = new CutLink(link());
    const by = id === undefined ? undefined : run(`${id}${shell}`);
    const session = await opened(cable, () => Promise.resolve(link()), by);
    const script = `echo x >>${mark}; n=0; until [ -e ${go} ] || [ $n -gt 600 ]; do n=$((n + 1)); sleep 0.05; done; echo well`;
    const frame = session.frame({ items: [steps("one", script)] }, { output: () => {} }, never);
    frame.catch(() => {});
    await expect.poll(() => existsSync(mark), { timeout: 120_000 }).toBe(true);
    folders.run(meanwhile);
    cable.cut();
    setTimeout(() => writeFileSync(go, ""), 3000);
    const [result] = await frame;
    // If /run has become full in the meantime, the beginning of the output may be lost, but not the result.
    const stdout = expect.stringMatching(/well\n$/) as string;
    expect(result).toMatchObject({ item: "steps", results: [{ exitCode: 0, stdout }] });
    expect(readFileSync(mark, "utf8")).toBe("x\n");
    folders.run(free);
    await sessions.pop()?.close();
    await expect
      .poll(() => folders.run("find /run /tmp /var/tmp /dev/shm -name 'at.*' -o -name 'run.*'"), { timeout: 120_000 })
      .toBe("");
  });

  test("a session keeps its lease if its claim and its journal are in different folders", async () => {
    const folders = await tiny("size=256k");
    const identity = { run: "r1", session: "s1", holder: undefined };
    folders.run(
      "umask 077; mkdir /run/furrow /run/furrow/at.r1.s1 /tmp/furrow-0; echo 0 anna >/tmp/furrow-0/run.a.r1.s1.1.2.3.4",
    );
    const shellPath = `/usr/bin/${shell}${shell === "busybox" ? " sh" : ""}`;
    writeFileSync(at("order"), orderScript({ order: "renew" }, identity));
    folders.run(`${shellPath} ${at("order")}`);
    expect(folders.run("cat /tmp/furrow-0/run.a.r1.s1.1.2.3.4")).toMatch(/^[1-9]\d* anna\n$/);
  });
});

test("a run does not work on a host that another run holds, if it can write no claim of its own", async () => {
  const folders = await tiny("size=256k");
  const link = (): Link => folders.link("dash", folder);
  const relink = (): Promise<Link> => Promise.resolve(link());
  const first = await opened(link(), relink, run("holder"));
  await first.frame({ items: [steps("one", "true")] }, { output: () => {} }, never);
  folders.run("for d in /run /tmp /var/tmp /dev/shm; do mount -o remount,ro $d; done");
  const second = await opened(link(), relink, run("second"));
  const frame = second.frame({ items: [steps("two", `touch ${at("two")}`)] }, { output: () => {} }, never);
  await expect(frame).rejects.toMatchObject({ code: "E_LOCKED" });
  expect(existsSync(at("two"))).toBe(false);
});
