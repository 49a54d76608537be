import { X509Certificate } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { covered } from "../covered.ts";
import { Deployment, finished } from "./deployment.ts";
import { nodesOf } from "./kubernetes.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await Deployment.up("harvester", 1, "v1.7.1", "inventory/start.ts");
});

afterAll(() => deployment.down());

/** The tasks that check mode cannot decide on an empty host, because of the packages' own scripts. */
const undecidable = ["file /etc/nginx/nginx.conf"];

describe("the Harvester playbook on an empty host", () => {
  test("check predicts what the run does, and a second run has nothing to do", async () => {
    const check = await deployment.furrow("check");
    expect(check.filter(({ outcome }) => outcome === "undecided").map(({ title }) => title)).toEqual(undecidable);
    const run = await deployment.furrow("run");
    expect(run.map(({ title }) => title)).toEqual(check.map(({ title }) => title));
    const certain = check.filter(({ outcome }) => outcome !== "undecided");
    expect(run.filter(({ title }) => !undecidable.includes(title))).toEqual(certain);
    expect(run.at(-1)?.title).toBe("where the cluster can be reached");
    const again = await deployment.furrow("run");
    expect(again.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    covered(
      `the Harvester playbook's ${check.length} tasks on an empty host, ${undecidable.length} of them undecided because of packages`,
    );
  });

  test("the node installs itself with its own configuration, and answers", async () => {
    expect(await deployment.inHost("curl -sk -m 10 https://192.168.130.120/ping")).toBe("pong");
    expect(await deployment.said("harvester-1")).toEqual([
      "stand-in: harvester-1 (create) got its configuration from http://192.168.130.1/nodes/52-54-00-68-76-01.yaml",
      "stand-in: installing to /dev/vda from http://192.168.130.1/harvester-v1.7.1-amd64.iso",
      "stand-in: installed; rebooting from the disk",
      "stand-in: harvester-1 is ready at 192.168.130.11",
      "stand-in: harvester-1 has the address 192.168.130.120",
    ]);
  });

  test("the node's screen, its first console, shows what the node prints", async () => {
    const screen = await deployment.onNode("192.168.130.11", "sudo -n cat /sys/class/tty/console/active /dev/vcs1");
    expect(screen).toMatch(/^tty\d? ttyS0/);
    expect(screen).toContain("harvester-1 is ready at 192.168.130.11");
  });

  test("the user rancher can log in through the host with the configured key", async () => {
    const text = await deployment.onNode("192.168.130.11", "sudo -n cat /etc/rancher/rke2/rke2.yaml");
    expect(parse(text)).toMatchObject({
      kind: "Config",
      clusters: [{ cluster: { server: "https://127.0.0.1:6443" } }],
    });
  });

  test("the kubeconfig on the controller is readable only by its owner, and reaches the node through the host with the node's certificate", async () => {
    const [host] = deployment.lab.hosts;
    expect((await stat(deployment.kubeconfig)).mode & 0o777).toBe(0o600);
    const { clusters } = parse(await readFile(deployment.kubeconfig, "utf8")) as { clusters: { cluster: object }[] };
    expect(clusters[0]?.cluster).toMatchObject({
      server: `https://${host?.address}:6443`,
      "tls-server-name": "kubernetes",
      "certificate-authority-data": expect.any(String) as string,
    });
    expect(await nodesOf(deployment.kubeconfig)).toEqual([
      { name: "harvester-1", ready: true, roles: ["control-plane", "etcd"] },
    ]);
  });

  test("other users of the host cannot read the nodes' secrets", async () => {
    const look = await deployment.inHost(
      "runuser -u nobody -- cat /srv/www/harvester/nodes/52-54-00-68-76-01.yaml 2>&1 || true",
    );
    expect(look).toContain("Permission denied");
  });

  test("the host records which cluster it has, in files that only root can read and that contain no secret", async () => {
    const folder = "/etc/furrow-harvester";
    expect(await deployment.inHost(`stat -c '%a %U %n' ${folder}/*`)).toBe(
      `600 root ${folder}/cluster\n600 root ${folder}/harvester-1.fingerprint`,
    );
    const served = await deployment.inHost("curl -sk -m 10 https://192.168.130.120:9345/cacerts");
    const record = await deployment.inHost(`cat ${folder}/harvester-1.fingerprint`);
    expect(JSON.parse(record)).toMatchObject({
      version: "v1.7.1",
      ca: new X509Certificate(served).fingerprint256.replaceAll(":", "").toLowerCase(),
    });
    const config = await deployment.inHost("cat /srv/www/harvester/nodes/52-54-00-68-76-01.yaml");
    const { token, os } = JSON.parse(config) as { token: string; os: { password: string } };
    expect(token.length).toBeGreaterThan(20);
    for (const secret of [token, os.password]) expect(record).not.toContain(secret);
  });

  test("furrow's own key is enough to log in to the node", { timeout: 600_000 }, async () => {
    await deployment.onNode("192.168.130.11", "cp .ssh/authorized_keys keys && head -n 1 keys >.ssh/authorized_keys");
    await rm(deployment.kubeconfig);
    const again = await deployment.furrow("run");
    const path = deployment.kubeconfig;
    expect(again.filter(({ outcome }) => outcome !== "ok")).toEqual([
      { outcome: "changed", title: `kubeconfig ${path}` },
    ]);
  });

  test("destroy, then deploy with another prefix: the old cluster is refused and named, until its images are deleted", async () => {
    await deployment.furrow("run", { playbook: "harvester-destroy" });
    await expect(stat(deployment.kubeconfig)).rejects.toThrow("ENOENT");
    await expect(stat(`${deployment.kubeconfig}.known_hosts`)).rejects.toThrow("ENOENT");
    for (const verb of ["check", "run"] as const) {
      const { code, text, events } = await deployment.start(verb, { vars: ["prefix=lab"] }).ended;
      expect({ verb, code }).toEqual({ verb, code: 1 });
      expect(text).toContain("the disk images on this host belong to the cluster harvester");
      expect(finished(events).filter(({ outcome }) => outcome === "changed")).toEqual([]);
    }
    const remove = { playbook: "harvester-destroy", vars: ["removeDisks=true"], yes: true };
    await deployment.furrow("run", remove);
    expect(await deployment.inHost("ls /mnt/datadisk1 /etc/furrow-harvester 2>&1 || true")).not.toMatch(
      /harvester-data|cluster\n/,
    );
    const last = await deployment.furrow("run", remove);
    expect(last.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    await deployment.furrow("check", { vars: ["prefix=lab"] });
  });
});
