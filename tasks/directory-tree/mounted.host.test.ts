import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converge, outcomes } from "../../test/packages/converge.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { command } from "../command/command.ts";
import { mount } from "../mount/mount.ts";
import { directoryTree } from "./directory-tree.ts";

let folder = "";
let path = "";
let source = "";
let host: TaskHost;
let holder: ChildProcess;

/**
 * Creates mounts in a private namespace: another file system below the tree, and a bind mount of the same file system.
 */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "furrow-tree-mount-"));
  [path, source] = [join(folder, "host"), join(folder, "source")];
  for (const name of ["host/a b/sub", "host/bound", "part", "source/a b/sub", "source/bound"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["a b/sub/x", "bound/x", "x"]) writeFileSync(join(source, name), "x\n");
  const script = `mount -t tmpfs -o mode=1777 none "$1/a b/sub"; mount --bind "$2" "$1/bound"; echo mounted; exec sleep 600`;
  const words = ["--mount", "--propagation", "private", "sh", "-ec", script, "sh", path, join(folder, "part")];
  holder = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout as Readable, "data");
  host = taskHost(["nsenter", `--target=${holder.pid}`, "--mount", "sh"]);
});
afterAll(() => {
  holder.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe("directoryTree with a file system mounted below its path", () => {
  test("is refused in check mode and in a run if the source also contains the mounted directory, which stays unchanged", async () => {
    for (const mode of ["check", "apply"] as const) {
      const [end] = await host[mode](directoryTree({ source, path }));
      expect(end?.error).toMatchObject({
        code: "E_REFUSED",
        failure: {
          what: `${path}/a b/sub must not be changed, because a file system is mounted there`,
          current: `mount:${path}/a b/sub`,
          details: ["refused: in-use"],
          hint: 'Set exclude: ["a b/sub"], and keep the mounted directory with a separate directoryTree task',
        },
      });
    }
    expect(await host.sh(`stat -c %a '${path}/a b/sub'; ls -A '${path}/a b/sub'`)).toBe("1777\n");
  });

  test("is undecided in check mode if an earlier task unmounts the file system", async () => {
    const [gone, tree] = await host.check(
      mount({ path: `${path}/a b/sub`, state: "absent" }),
      directoryTree({ source, path }),
    );
    expect([gone?.outcome, tree?.outcome]).toEqual(["changed", "undecided"]);
  });

  test("is refused in a run if an earlier task mounts a file system there", async () => {
    const at = `${path}/late`;
    const script = `mkdir '${at}' && mount -t tmpfs none '${at}'`;
    const late = join(folder, "late");
    mkdirSync(join(late, "late"), { recursive: true });
    const ends = await host.apply(command({ command: script, creates: at }), directoryTree({ source: late, path }));
    expect(ends.map(({ outcome, error }) => error?.code ?? outcome)).toEqual(["changed", "E_REFUSED"]);
  });

  test("converges if it excludes the mounted directory and a separate task copies the files there", async () => {
    const trees = [
      directoryTree({ source, path, exclude: ["a b/sub"] }),
      directoryTree({ source: join(source, "a b/sub"), path: `${path}/a b/sub` }),
    ];
    for (const tree of trees) expect(await converge(host, tree)).toEqual({ checked: ["changed"], ran: ["changed"] });
    expect(outcomes(await host.apply(...trees))).toEqual(["ok", "ok"]);
    expect(await host.sh(`cat '${path}/a b/sub/x' '${path}/bound/x'`)).toBe("x\nx\n");
  });
});
