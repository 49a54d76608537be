import { afterAll, beforeAll, expect, test } from "vitest";
import { Deployment, type Finished } from "../playbooks/deployment.ts";
import { ask } from "../playbooks/kubernetes.ts";
import { RancherServer, rancherToken } from "../rancher-server.ts";

let deployment: Deployment;
/** A reachable address outside the nodes' network: this machine's address on the lab's bridge. */
let outside: string;

beforeAll(async () => {
  deployment = await Deployment.up("air-gap", 1, "v1.7.1", "inventory/start.ts");
  outside = deployment.lab.gateway;
});
afterAll(() => deployment.down(), 60_000);

const airGap = (allow: readonly string[] = []): { vars: string[] } => ({
  vars: [`airGap=${JSON.stringify({ probe: outside, allow })}`],
});
const changes = (run: readonly Finished[]): Finished[] => run.filter(({ outcome }) => outcome !== "ok");
const fromNode = (command: string): Promise<string> =>
  deployment.onNode("192.168.130.11", `sudo -n ${command} >/dev/null 2>&1 && echo yes || echo no`);

test("an air-gapped node reaches its host and the host's clock, but nothing outside", async () => {
  const run = await deployment.furrow("run", airGap());
  expect(run).toContainEqual({ title: `harvester-1 cannot reach ${outside}`, outcome: "ok" });
  expect(await fromNode(`ping -c 1 -W 2 ${outside}`)).toBe("no");
  expect(await fromNode("ping -c 1 -W 2 192.168.130.1")).toBe("yes");
  expect(await deployment.inHost("ss -Hlun 'sport = 123'")).toContain(":123");
  expect(await deployment.inHost("chronyc -n tracking")).toContain("Stratum");
  expect(changes(await deployment.furrow("run", airGap()))).toEqual([]);
});

test("a run fails if an air-gapped node reaches an address outside its network", async () => {
  const { code, text } = await deployment.start("run", airGap([outside])).ended;
  expect(code).not.toBe(0);
  expect(text).toContain(`a node reaches ${outside}, which is outside its network`);
  expect(await fromNode(`ping -c 1 -W 2 ${outside}`)).toBe("yes");
});

test("a run without the air gap removes its nftables table, and the node reaches the outside", async () => {
  // The configuration no longer names the host's clock. A node reads its configuration only during its installation.
  expect(changes(await deployment.furrow("run")).map(({ title }) => title)).toEqual([
    "file /srv/www/harvester/nodes/52-54-00-68-76-01.yaml",
    "nftables inet harvester_air_gap",
  ]);
  expect(await fromNode(`ping -c 1 -W 2 ${outside}`)).toBe("yes");
});

test("a run creates a cluster in Rancher and gives Harvester its registration URL; a second run changes nothing", async () => {
  const rancher = await RancherServer.start();
  try {
    const vars = [`rancher=${JSON.stringify({ url: rancher.url, token: rancherToken })}`];
    const made = await deployment.furrow("run", { vars });
    expect(changes(made).map(({ title }) => title)).toEqual([
      `harvester in Rancher at ${rancher.url}`,
      "Harvester's setting cluster-registration-url",
    ]);
    expect(rancher.clusters).toMatchObject([{ name: "harvester" }]);
    const path = "/apis/harvesterhci.io/v1beta1/settings/cluster-registration-url";
    expect(await ask(deployment.kubeconfig, path)).toMatchObject({ value: rancher.registration });
    const { events, text } = await deployment.start("run", { vars }).ended;
    expect(events.filter(({ type, outcome }) => type === "taskFinished" && outcome !== "ok")).toEqual([]);
    for (const secret of [rancherToken, "veryverysecret"]) expect(text).not.toContain(secret);
  } finally {
    rancher.close();
  }
});

test("a failing installer immediately ends the wait for its node; after the repair, the next run waits again", async () => {
  const iso = "/srv/www/harvester/harvester-v1.7.1-amd64.iso";
  const playbook = "harvester-restart";
  await deployment.inHost(`set -e; touch /etc/furrow-maintenance; virsh -q destroy harvester-1; mv ${iso} ${iso}.away
    qemu-img create -q -f qcow2 /mnt/datadisk1/harvester-data.qcow2 1G`);
  const { code, text } = await deployment.start("run", { playbook }).ended;
  expect(code).toBe(1);
  expect(text).toContain("harvester-1 could not be installed; harvester-1 has fetched its configuration (6 of 7)");
  expect(text).toContain("its installer says that it has failed; its console says: stand-in: Install failed");
  await deployment.inHost(`set -e; mv ${iso}.away ${iso}; virsh -q destroy harvester-1`);
  // The old failure in the log does not end the new wait, which continues until the installer has started again.
  const again = deployment.start("run", { playbook });
  await again.until((events) =>
    events.some(
      ({ type, text: said }) =>
        type === "stepOutput" && /its installation has begun|it is installed/.test(String(said)),
    ),
  );
  again.child.kill("SIGKILL");
  await again.ended;
});
