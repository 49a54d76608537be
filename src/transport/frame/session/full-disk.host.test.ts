import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { covered } from "../../../../test/covered.ts";
import { isFurrowError } from "../../../core/errors.ts";
import type { FrameItem, ItemResult, Session } from "../../../core/host/frame.ts";
import type { Step } from "../../../core/host/step.ts";
import { file } from "../../../facts/files/file.ts";
import { openFrameSession } from "./session.ts";
import { shellsHere } from "../fixtures/local-shells.fixture.ts";
import { runFolders, TinyFolders } from "../fixtures/tiny-folders.fixture.ts";

// This folder is not below /tmp, because /tmp is a small file system inside the namespace.
const folder = mkdtempSync("/var/lib/furrow-full-");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const never = new AbortController().signal;
const sessions: Session[] = [];
const mounted: TinyFolders[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  for (const folders of mounted.splice(0)) folders.unmount();
});

type Ending = { readonly code: string; readonly results: readonly ItemResult[]; readonly said: string };

/** A session whose folders are tiny file systems. The session records how each frame ended: `ok`, or an error code. */
class Host {
  readonly notices: string[] = [];
  readonly folders: TinyFolders;
  readonly #session: Session;

  private constructor(folders: TinyFolders, session: Session) {
    this.folders = folders;
    this.#session = session;
  }

  static async on(folders: TinyFolders, shell: string): Promise<Host> {
    const link = folders.link(shell, folder);
    const options = { host: "full-1", link, user: "root", become: undefined, signal: never };
    const session = await openFrameSession(options);
    sessions.push(session);
    return new Host(folders, session);
  }

  async frame(...items: FrameItem[]): Promise<Ending> {
    const listener = { output: () => {}, notice: (text: string) => void this.notices.push(text) };
    const late = new AbortController();
    // These tests look for hosts that hang: report which case hangs instead of waiting for the test's timeout.
    const timer = setTimeout(() => late.abort(new Error("hung for 2 min")), 120_000);
    try {
      const results = await this.#session.frame({ items }, listener, late.signal);
      const failed = results
        .map((result) => (result.item === "steps" ? result.failed?.error : undefined))
        .find(Boolean);
      const code = failed?.code ?? (results.some(({ item }) => item === "skipped") ? "skipped" : "ok");
      return { code, results, said: failed?.failure.current ?? "" };
    } catch (error) {
      return { code: isFurrowError(error) ? error.code : String(error), results: [], said: String(error) };
    } finally {
      clearTimeout(timer);
    }
  }
}

async function tiny(options: string): Promise<TinyFolders> {
  const folders = await TinyFolders.mount(options);
  mounted.push(folders);
  return folders;
}

const runs = (task: string, script: string): FrameItem => ({
  item: "steps",
  task,
  steps: [{ step: "run", argv: ["sh", "-c", script] }],
});
const wrote = (results: readonly ItemResult[], at: number): string => {
  const result = results[at];
  return result?.item === "steps" ? (result.results[0]?.stdout ?? "") : "";
};
/** The text of the first file that an item read. */
function textOf(result: ItemResult | undefined): unknown {
  const [answer] = result?.item === "read" ? result.answers : [];
  return answer !== undefined && "value" in answer ? (answer.value as { text?: unknown }).text : undefined;
}
// A file that no other test changes, as large as an ordinary configuration file.
const kept = "/etc/login.defs";
const keptText = readFileSync(kept, "utf8");

describe.each(shellsHere)("a host that runs %s", (shell) => {
  // The cases are divided among the shells: each case runs in only one of them.
  const mine = (index: number): boolean => shellsHere.indexOf(shell) === index % shellsHere.length;

  test("does not hang if the folder of its journal fills up (1 MiB and `seq 1 20000`)", async () => {
    const host = await Host.on(await tiny("size=1m"), shell);
    await host.frame(runs("fill", "head -c 900000 /dev/zero >/run/fill; true"));
    const { code } = await host.frame(runs("many lines", "seq 1 20000"), runs("next", "true"));
    expect(code).toBe("E_DISK_FULL");
    host.folders.run("rm /run/fill");
    expect(await host.frame(runs("many lines", "seq 1 20000"), runs("next", "true"))).toMatchObject({ code: "ok" });
  });

  test("does not hang if 2.7 MB of output does not fit into 876 KiB, and does not mistake truncated output for complete output", async () => {
    const host = await Host.on(await tiny("size=876k"), shell);
    expect(await host.frame(runs("long", "seq 1 400000"))).toMatchObject({ code: "E_DISK_FULL" });
    expect(await host.frame(runs("long, then a success", "seq 1 400000; true"))).toMatchObject({
      code: "E_DISK_FULL",
    });
    expect(await host.frame(runs("short", "echo well"))).toMatchObject({ code: "ok" });
  });

  test("does the work without a journal, with a notice, if nothing can be written", async () => {
    for (const options of ["size=1m,ro", "size=4k,nr_inodes=2"]) {
      const host = await Host.on(await tiny(options), shell);
      const all = await host.frame(
        runs("one", "echo 1; echo 2 >&2"),
        runs("many", "seq 1 50000"),
        runs("last", "true"),
      );
      expect(all).toMatchObject({ code: "ok" });
      expect(wrote(all.results, 1).endsWith("49999\n50000\n")).toBe(true);
      expect(wrote(all.results, 1)).toContain("some bytes left out");
      expect(host.notices).toHaveLength(1);
      expect(host.notices[0]).toContain("keeps no journal");
    }
  });

  test("ends with E_DISK_FULL or the right answer, for any number of free bytes and at any time", async () => {
    const folders = await tiny("size=512k");
    const target = join(folder, `swept-${shell}`);
    const read: FrameItem = { item: "read", questions: [file(target, ["text"]), file(kept, ["text"])] };
    const text = "swept\n".repeat(500);
    let cases = 0;
    const codes = new Map<string, number>();
    for (const [index, pages] of [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30].entries()) {
      for (const size of [10, 3000, 9000 + pages * 300].filter((_, at) => mine(index + at))) {
        folders.run("rm -f /run/fill");
        const host = await Host.on(folders, shell);
        // The first task fills all but this many pages of the disk, while the runner has its journal open.
        const fill = `dd if=/dev/zero of=/run/fill bs=4096 2>/dev/null; dd bs=4096 count=0 seek=$(($(stat -c %s /run/fill)/4096-${pages})) of=/run/fill 2>/dev/null; true`;
        const { code, results, said } = await host.frame(
          runs("fill", fill),
          runs("print", `head -c ${size} /dev/zero | tr '\\0' x`),
          { item: "steps", task: "write", steps: [{ step: "writeFile", path: target, text }] },
          read,
          runs("last", "echo last"),
        );
        cases += 1;
        codes.set(code, (codes.get(code) ?? 0) + 1);
        expect(["ok", "E_DISK_FULL"], `${pages} pages left, ${size} bytes of output: ${said}`).toContain(code);
        const right = { printed: size, text, last: "last\n" };
        const got = { printed: wrote(results, 1).length, text: textOf(results[3]), last: wrote(results, 4) };
        expect(code === "ok" ? got : right).toEqual(right);
        await sessions.pop()?.close();
      }
    }
    expect(codes.get("ok") ?? 0).toBeGreaterThan(0);
    expect(codes.get("E_DISK_FULL") ?? 0).toBeGreaterThan(0);
    covered(`${shell}: the folder of the journal full at ${cases} points: ${[...codes].join(" ")}`);
  });

  test("ends each write that fails (ENOSPC, EIO, EROFS, EISDIR) with an error or the right answer", async () => {
    const folders = await tiny("size=1m");
    const names = ["o.1.0", "e.1.0", "cur", "task", "room", "lease", "stop"];
    const faults = {
      ENOSPC: (path: string) => `ln -sfn /mnt/full-${shell}/x ${path}`,
      EIO: (path: string) => `ln -sfn /proc/self/mem ${path}`,
      EROFS: (path: string) => `ln -sfn /mnt/ro-${shell}/x ${path}`,
      EISDIR: (path: string) => `mkdir ${path}`,
    };
    const [full, readOnly] = [`/mnt/full-${shell}`, `/mnt/ro-${shell}`];
    folders.run(
      `mkdir -p ${full} ${readOnly}; mount -t tmpfs -o ro ro ${readOnly}; mount -t tmpfs -o size=4k full ${full}`,
    );
    folders.run(`dd if=/dev/zero of=${full}/fill 2>/dev/null; true`);
    let cases = 0;
    for (const [fault, plant] of Object.entries(faults)) {
      for (const name of names.filter((_, at) => mine(at + fault.length))) {
        const host = await Host.on(folders, shell);
        const path = `$(ls -d /run/furrow/at.*)/${name}`;
        const { code, results } = await host.frame(
          runs("plant", `rm -rf ${path}; ${plant(path)}`),
          runs("work", "echo out; echo err >&2"),
          { item: "read", questions: [file(kept, ["text"])] },
        );
        // A stop order is obeyed regardless of what its file contains.
        const allowed = name === "stop" ? ["skipped", "ok"] : ["ok", "E_DISK_FULL", "E_READ_ONLY"];
        expect(allowed, `${fault} of ${name}`).toContain(code);
        expect(code === "ok" ? wrote(results, 1) : "out\n", `${fault} of ${name}`).toBe("out\n");
        expect(code === "ok" ? textOf(results[2]) : keptText, `${fault} of ${name}`).toBe(keptText);
        await sessions.pop()?.close();
        folders.run("rm -rf /run/furrow");
        cases += 1;
      }
    }
    covered(`${shell}: ${cases} writes of a runner that failed`);
  });

  test("does the work if its folders are remounted read-only between two tasks", async () => {
    const host = await Host.on(await tiny("size=1m"), shell);
    const again = "mount --bind /run/furrow /run/furrow && mount -o remount,ro,bind /run/furrow";
    const { code } = await host.frame(runs("remount", again), runs("work", "echo out"), {
      item: "read",
      questions: [file(kept)],
    });
    expect(["ok", "E_READ_ONLY"]).toContain(code);
    expect(await host.frame(runs("after", "echo well"))).toMatchObject({ code: "ok" });
  });

  test("ends with E_DISK_FULL if the target of a file, a tree or an upload has no room, and never mistakes half a file for a whole file", async () => {
    const folders = await tiny("size=1m");
    const source = join(folder, "large");
    const content = Buffer.from("0123456789abcdef".repeat(20_000));
    writeFileSync(source, content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const text = (name: string, size: number): Step => ({
      step: "writeFile",
      path: `/srv/${name}`,
      text: "x".repeat(size),
    });
    const work: Record<string, Step[]> = {
      file: [text("file", 5000)],
      together: [text("a", 3000), text("b", 3000), text("c", 3000), text("d", 9000)],
      large: [text("large", 100_000)],
      upload: [{ step: "upload", from: source, path: "/srv/up", sha256 }],
    };
    let cases = 0;
    for (const [name, list] of Object.entries(work)) {
      for (const size of [0, 4, 8, 12, 24, 64, 100, 316, 320, 400].filter((kib, at) => kib === 0 || mine(at))) {
        folders.run(
          `umount /srv 2>/dev/null; mount -t tmpfs -o size=${Math.max(1, size)}k,nr_inodes=${size === 0 ? 1 : 99} srv /srv`,
        );
        const host = await Host.on(folders, shell);
        const questions = list.map((step) => file("path" in step ? step.path : "", ["sha256"]));
        const done = await host.frame({ item: "steps", task: name, steps: list }, { item: "read", questions });
        const ends = size === 0 ? ["E_DISK_FULL"] : size === 400 ? ["ok"] : ["ok", "E_DISK_FULL"];
        expect(ends, `${name} with ${size} KiB: ${done.said}`).toContain(done.code);
        const whole = done.code !== "ok" || name !== "upload" || JSON.stringify(done.results[1]).includes(sha256);
        expect(whole, `${name} with ${size} KiB`).toBe(true);
        await sessions.pop()?.close();
        cases += 1;
      }
    }
    folders.run("umount /srv");
    covered(`${shell}: ${cases} targets without room`);
  });
});

test("these tests fill the run folders that the scripts use", () => {
  expect(runFolders).toEqual(["/run", "/tmp", "/var/tmp", "/dev/shm"]);
});
