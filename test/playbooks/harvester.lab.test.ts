import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { artifactNames } from "../../roles/cluster/cluster.ts";
import {
  type ArtifactServer,
  type Lab,
  labDown,
  labUp,
  runInHost,
  serveArtifacts,
  standIns,
} from "../../src/lab/index.ts";
import { covered } from "../covered.ts";

const root = join(import.meta.dirname, "../..");
const name = "harvester";
let lab: Lab;
let server: ArtifactServer;
let folder: string;

beforeAll(async () => {
  folder = await standIns(artifactNames("v1.8.1"));
  lab = await labUp({ name, hosts: 1, disks: 1, diskSizeBytes: 4 * 2 ** 30, replace: true });
  server = await serveArtifacts(folder, lab.gateway);
}, 300_000);

afterAll(async () => {
  await server.close();
  await labDown({ name });
  await rm(folder, { recursive: true });
}, 60_000);

interface Finished {
  readonly title: string;
  readonly outcome: string;
}

/** Runs the flagship playbook as a person would, and gives what became of each task. */
function furrow(verb: "check" | "run"): Promise<readonly Finished[]> {
  const argv = ["bin/furrow.js", verb, "playbooks/harvester.ts", "-i", "inventory/start.ts", "--json"];
  const env = { ...process.env, FURROW_LAB_NAME: name, FURROW_ARTIFACTS: server.url };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, argv, { cwd: root, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error) return reject(new Error(`${stdout.slice(-4000)}\n${stderr}`));
      const events = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { type: string; outcome: string; task: { title: string } });
      return resolve(
        events
          .filter(({ type }) => type === "taskFinished")
          .map(({ outcome, task }) => ({ outcome, title: task.title })),
      );
    });
  });
}

/** What an earlier task may already bring about on an empty host: the packages' own scripts, and nothing else. */
const decided = ["service libvirtd", "file /etc/nginx/nginx.conf"];

describe("the Harvester playbook on an empty host", () => {
  test("check says what the run then does, and a second run has nothing to do", { timeout: 600_000 }, async () => {
    const check = await furrow("check");
    expect(check.filter(({ outcome }) => outcome === "decided").map(({ title }) => title)).toEqual(decided);
    const run = await furrow("run");
    expect(run.map(({ title }) => title)).toEqual(check.map(({ title }) => title));
    const certain = check.filter(({ outcome }) => outcome !== "decided");
    expect(run.filter(({ title }) => !decided.includes(title))).toEqual(certain);
    const again = await furrow("run");
    expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
    covered(
      `the Harvester playbook's ${check.length} tasks on an empty host, ${decided.length} of them decided by packages`,
    );
  });

  test("its node boots from the network and has its own configuration", { timeout: 300_000 }, async () => {
    const [host] = lab.hosts;
    let said = "";
    for (let tries = 0; tries < 100 && said === ""; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const log = "/var/log/libvirt/qemu/harvester-1-serial.log";
      if (host) said = (await runInHost(host, ["sh", "-c", `grep -a stand-in: ${log} || true`])).stdout.trim();
    }
    expect(said).toBe(
      "stand-in: harvester-1 (create) has its configuration from http://192.168.130.1/nodes/52-54-00-68-76-01.yaml",
    );
  });

  test("other users of the host cannot read the nodes' secrets", async () => {
    const [host] = lab.hosts;
    const look =
      host &&
      (await runInHost(
        host,
        ["runuser", "-u", "nobody", "--", "cat", "/srv/www/harvester/nodes/52-54-00-68-76-01.yaml"],
        { allowFailure: true },
      ));
    expect(look?.stderr).toContain("Permission denied");
  });
});
