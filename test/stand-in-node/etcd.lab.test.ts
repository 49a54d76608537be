import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { etcdSnapshotTaken } from "../../roles/power/etcd-snapshot.ts";
import { outcomes } from "../tasks/one-lab-host.ts";
import { type TaskHost, taskHost } from "../tasks/on-host.ts";
import { standInRoot } from "./stand-in-node.ts";

/** Starts the supervisor of a stand-in node in its own root file system, with its own paths. */
const script = `
import sys
sys.path.insert(0, "/usr/lib/stand-in")
from api import bundle_of, supervise
from cluster import Cluster
import node
node.prepare({"os": {"hostname": "harvester-1"}, "install": {"vip": "192.0.2.1"}, "sans": []}, "192.0.2.1")
known = Cluster()
known.hear({"name": "harvester-1", "role": "default", "address": "192.0.2.1", "secret": "1"}, True)
supervise(node.CERTIFICATES, known, "token", bundle_of(node.CERTIFICATES))
print("ready", flush=True)
sys.stdin.read()
`;

const snapshots = "/var/lib/rancher/rke2/server/db/snapshots";
let folder: string;
let node: ChildProcess | undefined;
let host: TaskHost;
const taken = (name: string) => etcdSnapshotTaken({ name, node: "harvester-1" });

/** The command that starts a shell on the node. */
function shellAs(user: string): string[] {
  const inside = ["nsenter", `--target=${node?.pid}`, "--mount", "--net", "--uts"];
  const path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  return [...inside, "chroot", `--userspec=${user}`, folder, "env", "-i", path, "sh"];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "furrow-stand-in-node-"));
  await chmod(folder, 0o755);
  await cp(await standInRoot(), folder, { recursive: true, verbatimSymlinks: true });
  // With its own network, the node has port 9345 to itself; with its own mounts, a test can give it a full disk.
  const enter = `hostname harvester-1; ip link set lo up
for place in proc dev; do mount --rbind /$place "$0/$place"; done
exec chroot "$0" /usr/bin/python3 -c "$1"`;
  const argv = ["--mount", "--net", "--uts", "--kill-child", "sh", "-c", enter, folder, script];
  node = spawn("unshare", argv, { stdio: ["pipe", "pipe", "inherit"] });
  await once(node.stdout as NodeJS.ReadableStream, "data");
  host = taskHost(shellAs("0:0"));
});

afterAll(async () => {
  node?.stdin?.end();
  if (node?.exitCode === null) await once(node, "exit");
  await rm(folder, { recursive: true });
});

describe("the etcd snapshot of a node", () => {
  test("needs a program that is not in the node's PATH", async () => {
    await expect(host.sh("command -v rke2")).rejects.toThrow("command -v rke2");
  });

  test("is predicted, taken once and verified", async () => {
    expect(outcomes(await host.check(taken("one")))).toEqual(["changed"]);
    expect(await host.sh(`ls ${snapshots} 2>/dev/null || true`)).toBe("");
    const [end] = await host.apply(taken("one"));
    expect(end).toMatchObject({
      outcome: "changed",
      steps: ["rke2 etcd-snapshot save --name one"],
      facts: ["etcdSnapshot:one"],
    });
    const [name = ""] = (await host.sh(`ls ${snapshots}`)).split("\n");
    expect(name).toMatch(/^one-harvester-1-\d{10}$/);
    expect(end?.notes[0]).toBe(`etcd snapshot on harvester-1: ${snapshots}/${name} (1 MiB)`);
    expect(end?.notes[1]).toContain(`--cluster-reset-restore-path=${snapshots}/${name} `);
    const again = await host.apply(taken("one"));
    expect([outcomes(again), again[0]?.notes]).toEqual([["ok"], end?.notes]);
    expect(await host.sh("/opt/rke2/bin/rke2 etcd-snapshot list")).toContain(`file://${snapshots}/${name}`);
  });

  test("is taken even if empty, unfinished and differently named files are in its folder", async () => {
    await host.sh(
      `cd ${snapshots}; : >two-harvester-1-1; echo x >two-harvester-1-2.part; echo x >twofold-harvester-1-3`,
    );
    expect(outcomes(await host.check(taken("two")))).toEqual(["changed"]);
    const [end] = await host.apply(taken("two"));
    expect(end?.notes[0]).toMatch(/two-harvester-1-\d{10} /);
    expect(await host.sh(`ls ${snapshots} | grep -c -e 'two-harvester-1-[12]\\>' -e twofold`)).toBe("3\n");
  });

  test("is not reported as missing to a user who may not read its folder", async () => {
    const [end] = await taskHost(shellAs("1000:1000")).check(taken("one"));
    expect(end?.error?.failure).toMatchObject({
      what: "the etcd snapshots on this node cannot be read",
      current: `its folder ${snapshots} cannot be read`,
    });
  });

  test("fails with the reason in the server's log if the disk is full, although rke2 reports nothing", async () => {
    await host.sh(
      `mount -t tmpfs -o size=4k,mode=700 none ${snapshots}; dd if=/dev/zero of=${snapshots}/fill bs=4k count=1`,
    );
    const [end] = await host.apply(taken("three"));
    await host.sh(`umount ${snapshots}`);
    expect(end?.error?.code).toBe("E_DISK_FULL");
    expect(end?.error?.failure.current).toContain("Failed to take etcd snapshot");
    expect(end?.error?.failure.details?.join("\n")).toContain(`there is no ${snapshots}/three-*`);
    expect(outcomes(await host.apply(taken("three")))).toEqual(["changed"]);
  });

  test("fails with rke2's message on a node that is not a server", async () => {
    const token = "/var/lib/rancher/rke2/server/token";
    await host.sh(`mv ${token} ${token}.away`);
    const [end] = await host.apply(taken("four"));
    await host.sh(`mv ${token}.away ${token}`);
    expect(end?.error?.code).toBe("E_STEP");
    expect(end?.error?.failure.details?.join("\n")).toContain(`open ${token}: no such file or directory`);
  });

  test.each(["check", "apply"] as const)("is refused if the node has no rke2 (%s)", async (mode) => {
    await host.sh("mv /opt/rke2 /opt/rke2.away");
    const [end] = await host[mode](taken("five"));
    await host.sh("mv /opt/rke2.away /opt/rke2");
    expect(end?.error?.failure.what).toMatch(/^harvester-1 has no rke2 program \(looked at \/opt\/rke2\/bin\/rke2, /);
  });
});
