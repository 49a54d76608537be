import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPrograms } from "./api-server.ts";
import { guestFolder } from "./userland.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-stand-in-etcd-"));
const data = join(folder, "rke2");
const snapshots = join(data, "server/db/snapshots");

/** Starts the supervisor of a stand-in with one node, whose data is in a folder, and prints its port. */
const script = `
import sys
sys.path.insert(0, sys.argv[1])
folder = sys.argv[2]
import cluster, etcd
cluster.STORE = folder + "/cluster.json"
etcd.DATA = folder + "/rke2/server"
etcd.LOG = folder + "/rke2-server.log"
from certificates import authority, certificate
authority(folder, "kubernetes-ca")
certificate(folder, "kubernetes", "kubernetes-ca", "/CN=kube-apiserver", ["DNS:kubernetes", "IP:127.0.0.1"])
from api import Server, Supervisor
from machine import read
known = cluster.Cluster()
known.hear({"name": "harvester-1", "role": "default", "address": "192.0.2.1", "secret": "1"}, True)
bundle = {"crts": {"kubernetes-ca.crt": read(folder + "/kubernetes-ca.crt") + "\\n"}}
etcd.enable("token", bundle["crts"]["kubernetes-ca.crt"])
server = Server(0, Supervisor, folder + "/kubernetes", known, "token", bundle)
print(server.server_port, flush=True)
server.serve_forever()
`;

let port = "";
let stop: () => void = () => undefined;

beforeAll(async () => {
  if (!hasPrograms) return;
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const started = spawn("/usr/bin/python3", ["-B", "-c", script, guestFolder, folder], { stdio: [...stdio] });
  stop = () => void started.kill();
  const [printed] = (await once(started.stdout, "data")) as [Buffer];
  port = printed.toString().trim();
});

afterAll(() => {
  stop();
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly says: string;
}

function rke2(...words: string[]): Ended {
  const server = ["--data-dir", data, "--etcd-server", `https://127.0.0.1:${port}`];
  const argv = ["-B", join(guestFolder, "rke2.py"), "etcd-snapshot", ...server, ...words];
  const { status, stdout, stderr } = spawnSync("/usr/bin/python3", argv, { encoding: "utf8" });
  return { code: status, out: stdout, says: stderr.replaceAll(/^time="[^"]+" /gm, "") };
}

describe.skipIf(!hasPrograms)("the stand-in's rke2 etcd-snapshot", () => {
  test("saves a snapshot named after the given name, the node and the time, readable only by root, and lists it", () => {
    const saved = rke2("save", "--name", "before");
    const [name = ""] = readdirSync(snapshots);
    expect(name).toMatch(new RegExp(`^before-${hostname()}-\\d{10}$`));
    expect(saved).toEqual({ code: 0, out: "", says: `level=info msg="Snapshot ${name} saved."\n` });
    const about = statSync(join(snapshots, name));
    expect([about.mode & 0o777, about.size > 100, statSync(snapshots).mode & 0o777]).toEqual([0o600, true, 0o700]);
    const [head = "", line = ""] = rke2("list").out.split("\n");
    expect(head).toMatch(/^Name +Location +Size +Created$/);
    expect(line).toMatch(
      new RegExp(`^${name} +file://${snapshots}/${name} +${about.size} +\\d{4}-\\d\\d-\\d\\dT[\\d:]+Z$`),
    );
    expect(head.indexOf("Location")).toBe(line.indexOf("file:"));
  });

  test("names a snapshot `on-demand` if no name is given", () => {
    expect(rke2("save").says).toMatch(/^level=info msg="Snapshot on-demand-\S+-\d+ saved\."\n$/);
  });

  test("exits with code 0 although it has saved nothing, and only the server's log says why", () => {
    const other = join(folder, "other");
    mkdirSync(other);
    // The file name becomes too long for the file system.
    const name = "x".repeat(250);
    expect(rke2("save", "--etcd-snapshot-dir", other, "--name", name)).toEqual({ code: 0, out: "", says: "" });
    expect(readdirSync(other)).toEqual([]);
    const log = readFileSync(join(folder, "rke2-server.log"), "utf8");
    expect(log).toMatch(/level=error msg="Failed to take etcd snapshot: write \S+\.part: file name too long"/);
  });

  test.each([
    [["save", "--etcd-snapshot-dir=/no/such"], "see server log for details: failed to get etcd-snapshot-dir"],
    [["save", "--data-dir", "/no/such"], "open /no/such/server/token: no such file or directory"],
    [["save", "extra"], "this command does not take any arguments"],
    [["save", "--nmae", "x"], "flag provided but not defined: -nmae"],
    [["prune"], "has only save and list, and no prune"],
  ])("fails, and says why: %j", (words, why) => {
    const ended = rke2(...words);
    expect(ended.code).toBe(1);
    expect(ended.says).toContain("level=fatal");
    expect(ended.says).toContain(why);
  });

  test("is refused by the supervisor if the token is not the cluster's", () => {
    const path = join(data, "server/token");
    const token = readFileSync(path, "utf8");
    writeFileSync(path, token.replace("server:token", "server:other"));
    expect(rke2("save")).toMatchObject({ code: 1, says: expect.stringContaining("Unauthorized") as string });
    writeFileSync(path, token.replace(/^K10../, "K10zz"));
    expect(rke2("list").says).toContain("token CA hash does not match the Cluster CA certificate hash");
    writeFileSync(path, token);
    chmodSync(path, 0o600);
  });
});
