import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { Deployment } from "./deployment.ts";
import { nodesOf } from "./kubernetes.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await Deployment.up("harvester-ha", 3, "v1.8.1", "test/playbooks/inventory.ts");
});

afterAll(() => deployment.down(), 60_000);

/** The tasks that check mode cannot decide on an empty host, because of the packages' own scripts. */
const undecidable = ["file /etc/nginx/nginx.conf"];

describe("three nodes on an empty host", () => {
  test("check predicts what the run does, and a second run has nothing to do", { timeout: 2_400_000 }, async () => {
    const check = await deployment.furrow("check");
    expect(check.filter(({ outcome }) => outcome === "undecided").map(({ title }) => title)).toEqual(undecidable);
    const run = await deployment.furrow("run");
    expect(run.map(({ title }) => title)).toEqual(check.map(({ title }) => title));
    const certain = check.filter(({ outcome }) => outcome !== "undecided");
    expect(run.filter(({ title }) => !undecidable.includes(title))).toEqual(certain);
    const again = await deployment.furrow("run");
    expect(again.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    covered(`the Harvester playbook's ${check.length} tasks for three nodes on an empty host`);
  });

  test("each node installs its own configuration, and only the first creates the cluster", async () => {
    const said = async (index: number): Promise<string[]> =>
      (await deployment.said(`harvester-${index}`)).map((line) => line.replace("stand-in: ", ""));
    const config = "http://192.168.130.1/nodes/52-54-00-68-76";
    const installed = [
      "installing to /dev/vda from http://192.168.130.1/harvester-v1.8.1-amd64.iso",
      "installed; rebooting from the disk",
    ];
    expect(await said(1)).toEqual([
      `harvester-1 (create) got its configuration from ${config}-01.yaml`,
      ...installed,
      "harvester-1 is ready at 192.168.130.11",
      "harvester-1 has the address 192.168.130.120",
    ]);
    for (const index of [2, 3]) {
      expect(await said(index)).toEqual([
        `harvester-${index} (join) got its configuration from ${config}-0${index}.yaml`,
        ...installed,
        `harvester-${index} has joined the cluster`,
        `harvester-${index} is ready at 192.168.130.1${index}`,
      ]);
    }
  });

  test("the second and the third node are members with their names and roles", async () => {
    expect(await nodesOf(deployment.kubeconfig)).toEqual([
      { name: "harvester-1", ready: true, roles: ["control-plane", "etcd"] },
      { name: "harvester-2", ready: true, roles: ["control-plane", "etcd"] },
      { name: "harvester-3", ready: true, roles: ["etcd"] },
    ]);
  });

  test("no node is started before the previous node has fetched everything", async () => {
    const log = await deployment.inHost(
      // The playbook itself queries the web server from the host.
      `awk '$1 != "192.168.130.1" { print $1 }' /var/log/nginx/harvester.log | uniq`,
    );
    expect(log.split("\n")).toEqual(["192.168.130.11", "192.168.130.12", "192.168.130.13"]);
  });

  test("the cluster refuses a node with a wrong token or with another node's name", async () => {
    const join = (token: string, name: string): string =>
      [
        "import sys",
        'sys.path.insert(0, "/usr/lib/stand-in")',
        "from join import NotJoined, json, tell",
        'config = json.load(open("/oem/harvester.config"))',
        `member = {"name": "${name}", "role": "default", "address": "192.168.130.14", "secret": "x"}`,
        "try:",
        `    tell(config["serverUrl"], "/v1-stand-in/join", ${token}, member)`,
        "except NotJoined as refused:",
        "    print(refused)",
      ].join("\n");
    const said = (script: string): Promise<string> =>
      deployment.onNode("192.168.130.12", `sudo -n python3 -c '${script}'`);
    expect(await said(join('"another"', "harvester-4"))).toContain("answers 401: the token is not this cluster's");
    expect(await said(join('config["token"]', "harvester-1"))).toContain(
      "answers 409: another node has the name harvester-1",
    );
    expect(await nodesOf(deployment.kubeconfig)).toHaveLength(3);
  });

  test("a node reports why the installer refuses its configuration, and leaves its disk alone", async () => {
    const image = "/mnt/datadisk3/harvester-data.qcow2";
    await deployment.inHost(
      `set -e; touch /etc/furrow-maintenance; virsh destroy harvester-3; qemu-img create -q -f qcow2 ${image} 1G
      : >/var/log/libvirt/qemu/harvester-3-serial.log
      sed -i 's/"mode": "join"/"mode": "jion"/' /srv/www/harvester/nodes/52-54-00-68-76-03.yaml; virsh start harvester-3`,
    );
    for (let tries = 0; tries < 150 && (await deployment.said("harvester-3")).length < 2; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 2000));
    expect((await deployment.said("harvester-3")).at(-1)).toBe(
      "stand-in: Invalid configuration: there is no mode 'jion' (mode)",
    );
    const written = await deployment.inHost(
      `qemu-img map --force-share --output=json ${image} | grep -c '"data": true' || true`,
    );
    expect(written).toBe("0");
  });
});
