import { execFile } from "node:child_process";
import { readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
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
import { nodesOf } from "./kubernetes.ts";

const root = join(import.meta.dirname, "../..");
const name = "harvester";
let lab: Lab;
let server: ArtifactServer;
let folder: string;

beforeAll(async () => {
  folder = await standIns(artifactNames("v1.7.1"));
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

const serial = "/var/log/libvirt/qemu/harvester-1-serial.log";

/** What a script prints in the host, run without furrow. */
async function inHost(script: string): Promise<string> {
  const [host] = lab.hosts;
  if (host === undefined) throw new Error("the lab has no host");
  return (await runInHost(host, ["sh", "-c", script])).stdout.trim();
}

/** Where the playbook brings the kubeconfig. */
const kubeconfig = (): string => join(dirname(lab.identityFile), "kubeconfig.yaml");

/** What check mode cannot know on an empty host: what the packages' own scripts do, and what a node has that is yet to be. */
const undecidable = (): string[] => ["service libvirtd", "file /etc/nginx/nginx.conf", `kubeconfig ${kubeconfig()}`];

describe("the Harvester playbook on an empty host", () => {
  test("check says what the run then does, and a second run has nothing to do", { timeout: 600_000 }, async () => {
    const decided = undecidable();
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

  test("its node installs itself with its own configuration and answers", { timeout: 400_000 }, async () => {
    const deadline = Date.now() + 360_000;
    while ((await inHost("curl -sk -m 2 https://192.168.130.120/ping || true")) !== "pong") {
      if (Date.now() > deadline)
        throw new Error(`no pong; the node's console:\n${await inHost(`tail -n 30 ${serial}`)}`);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
    expect((await inHost(`grep -a ^stand-in: ${serial}`)).replaceAll("\r", "").split("\n")).toEqual([
      "stand-in: harvester-1 (create) has its configuration from http://192.168.130.1/nodes/52-54-00-68-76-01.yaml",
      "stand-in: installing to /dev/vda from http://192.168.130.1/harvester-v1.7.1-amd64.iso",
      "stand-in: installed; rebooting from the disk",
      "stand-in: harvester-1 is ready at 192.168.130.11",
      "stand-in: harvester-1 has the address 192.168.130.120",
    ]);
  });

  test("the user rancher logs in with the configured key, over the host", async () => {
    const common = ["-i", lab.identityFile, "-o", `UserKnownHostsFile=${lab.knownHostsFile}`, "-o", "BatchMode=yes"];
    const jump = ["ssh", ...common, "-W", "%h:%p", `root@${lab.hosts[0]?.address}`].join(" ");
    const argv = [...common, "-o", `ProxyCommand=${jump}`, "-o", "StrictHostKeyChecking=accept-new"];
    const { stdout } = await promisify(execFile)("ssh", [
      ...argv,
      "rancher@192.168.130.11",
      "sudo -n cat /etc/rancher/rke2/rke2.yaml",
    ]);
    expect(parse(stdout)).toMatchObject({
      kind: "Config",
      clusters: [{ cluster: { server: "https://127.0.0.1:6443" } }],
    });
  });

  test("the kubeconfig is the controller's, for its owner alone, and leads to the host by the node's own certificate", async () => {
    const [host] = lab.hosts;
    expect((await stat(kubeconfig())).mode & 0o777).toBe(0o600);
    const { clusters } = parse(await readFile(kubeconfig(), "utf8")) as { clusters: { cluster: object }[] };
    expect(clusters[0]?.cluster).toMatchObject({
      server: `https://${host?.address}:6443`,
      "tls-server-name": "kubernetes",
      "certificate-authority-data": expect.any(String) as string,
    });
    expect(await nodesOf(kubeconfig())).toEqual([
      { name: "harvester-1", ready: true, roles: ["control-plane", "etcd"] },
    ]);
  });

  test("other users of the host cannot read the nodes' secrets", async () => {
    const look = await inHost("runuser -u nobody -- cat /srv/www/harvester/nodes/52-54-00-68-76-01.yaml 2>&1 || true");
    expect(look).toContain("Permission denied");
  });
});
