import { afterAll, beforeAll, expect, test } from "vitest";
import { clusterLists } from "../../roles/cluster-answers/answers.ts";
import { upgradeSchema } from "../../roles/cluster-answers/harvester-objects.ts";
import { fingerprintPath } from "../../roles/cluster/places.ts";
import { kubernetesDriver } from "../../src/drivers/kubernetes.ts";
import { Deployment, finished } from "./deployment.ts";

const [first, second, third] = ["v1.7.1", "v1.7.2", "v1.7.3"] as const;
const never = new AbortController().signal;
let deployment: Deployment;

beforeAll(async () => {
  deployment = await Deployment.up("upgrade", 1, first, "inventory/start.ts", [second, third]);
  await deployment.furrow("run");
});

afterAll(() => deployment.down());

/** The options of an upgrade to a version whose artifacts the lab's server has. */
function upgradeTo(version: string, ...more: string[]) {
  const url = `${deployment.artifacts}/harvester-${version}`;
  const artifacts = {
    kernel: { url: `${url}-vmlinuz-amd64` },
    initrd: { url: `${url}-initrd-amd64` },
    rootfs: { url: `${url}-rootfs-amd64.squashfs` },
    iso: { url: `${url}-amd64.iso` },
    checksums: `${deployment.artifacts}/sha512`,
  };
  const vars = [`version=${version}`, `artifacts=${JSON.stringify(artifacts)}`, "deadlineSeconds=300", ...more];
  return { playbook: "harvester-upgrade", vars };
}

async function upgrades() {
  const request = { kubeconfig: deployment.kubeconfig, path: clusterLists.upgrades.path, list: true };
  const { items } = (await kubernetesDriver.read(request, never)) as { items: object[] };
  return items.map((item) => upgradeSchema.parse(item));
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 240; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
  }
  throw new Error("the expected state was not reached within two minutes");
}

const recorded = async (): Promise<string> =>
  (JSON.parse(await deployment.inHost(`cat ${fingerprintPath("harvester-1")}`)) as { version: string }).version;

test("a version that Harvester cannot upgrade to is refused, and nothing changes", async () => {
  for (const version of ["v1.7.0", "v1.9.0"]) {
    const { code, text, events } = await deployment.start("check", upgradeTo(version, "firmware=uefi")).ended;
    expect(code).toBe(1);
    expect(text).toMatch(/cannot be downgraded|upgrade to v1\.8 first/);
    expect(finished(events).filter(({ outcome }) => outcome === "changed")).toEqual([]);
  }
});

test("furrow is killed while the cluster is being upgraded, and a rerun waits for the same upgrade", async () => {
  const check = await deployment.furrow("check", upgradeTo(second));
  expect(check).toContainEqual({ title: `the upgrade to ${second} has begun`, outcome: "changed" });
  expect(await upgrades()).toEqual([]);
  const killed = deployment.start("run", upgradeTo(second));
  await until(async () => ((await upgrades()).length > 0 ? true : undefined));
  killed.child.kill("SIGKILL");
  await killed.ended;
  const run = await deployment.furrow("run", upgradeTo(second));
  expect(run.at(-1)).toEqual({ title: `harvester-1 is recorded with ${second}`, outcome: "changed" });
  expect(await upgrades()).toMatchObject([{ name: "hvst-upgrade-v1-7-2-1", outcome: "Succeeded" }]);
  expect(await recorded()).toBe(second);
  const again = await deployment.furrow("run", upgradeTo(second));
  expect(again.filter(({ outcome }) => outcome === "changed")).toEqual([]);
});

test("a node's job fails, and the run ends with its message", async () => {
  const running = deployment.start("run", upgradeTo(third));
  const { name } = await until(async () => (await upgrades()).find(({ state }) => state === "UpgradingNodes"));
  const failed = { state: "Failed", reason: "BackoffLimitExceeded", message: "the job has failed" };
  await kubernetesDriver.call?.(
    {
      kubeconfig: deployment.kubeconfig,
      path: `${clusterLists.upgrades.path}/${name}`,
      method: "PATCH",
      body: { status: { nodeStatuses: { "harvester-1": failed } } },
    },
    never,
  );
  const { code, text } = await running.ended;
  expect(code).toBe(1);
  expect(text).toContain(
    `the upgrade ${name} to ${third} failed: node harvester-1: BackoffLimitExceeded: the job has failed`,
  );
  const { text: refused } = await deployment.start("run", upgradeTo(third, "retry=true")).ended;
  expect(refused).toContain("failed after it had begun to change the cluster");
});
