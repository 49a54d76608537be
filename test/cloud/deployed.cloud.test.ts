import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removeDisk } from "../../src/lab/index.ts";
import { covered } from "../covered.ts";
import { Deployment } from "../playbooks/deployment.ts";
import { nodesOf } from "../playbooks/kubernetes.ts";
import { type Ec2Fake, startEc2Fake } from "./ec2-fake/fake.ts";
import { furrow } from "./furrow.ts";
import { GceFake, project } from "./gce-fake/fake.ts";

/** Needs root and Linux, because each fake's machine is a lab host. */
const canHaveLab = process.platform === "linux" && process.getuid?.() === 0;

/** Runs a playbook against this machine, and waits if another run has locked it. */
const here = async (playbook: string, words: readonly string[], vars: readonly string[]): Promise<void> => {
  const all = [...words, ...vars.flatMap((one) => ["--var", one])];
  const common = ["-i", "local", "--wait-lock", "300", "--json"];
  const { code, stdout, stderr } = await furrow("run", `playbooks/${playbook}.ts`, ...common, ...all);
  expect(code, stdout.slice(-2000) + stderr).toBe(0);
};

// The clouds are tested one after the other on one lab host, so the second cloud's machine already has its packages,
// but nothing else.
describe.skipIf(!canHaveLab)("a Harvester cluster on a cloud machine", () => {
  const gce = new GceFake();
  let ec2: Ec2Fake;
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.up("cloud", 2, "v1.7.1", "test/cloud/machine-inventory.ts");
    const { address } = deployment.host;
    const known = readFileSync(deployment.lab.knownHostsFile, "utf8").split("\n");
    const ofHost = known.filter((line) => line.includes(address));
    const hostKeys = ofHost.map((line) => line.split(" ").slice(1, 3).join(" "));
    ec2 = await startEc2Fake({ addressOf: () => address, hostKeys });
    Object.assign(gce.settings, { addressOf: () => address, hostKeys });
    Object.assign(process.env, await gce.start(), {
      AWS_ENDPOINT_URL: ec2.url,
      AWS_ACCESS_KEY_ID: "TEST",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_REGION: "eu-test-1",
    });
  }, 900_000);

  afterAll(async () => {
    await ec2.close();
    await gce.stop();
    await deployment.down();
  }, 600_000);

  const provision = (playbook: string, ...vars: readonly string[]): Promise<void> => {
    const publicKey = readFileSync(`${deployment.lab.identityFile}.pub`, "utf8").trim();
    return here(playbook, [], [`publicKey=${publicKey}`, 'manageFrom=["192.0.2.7/32"]', "login=root", ...vars]);
  };

  /** Deploys the cluster on the machine that the inventory finds. Returns the number of tasks. */
  const deploy = async (cloud: "aws" | "gcp"): Promise<number> => {
    process.env["FURROW_CLOUD"] = cloud;
    const tasks = await deployment.furrow("run");
    expect(tasks.filter(({ outcome }) => outcome !== "ok" && outcome !== "changed")).toEqual([]);
    expect(await nodesOf(join(dirname(deployment.lab.identityFile), `${cloud}.yaml`))).toEqual([
      { name: "harvester-1", ready: true, roles: ["control-plane", "etcd"] },
    ]);
    return tasks.length;
  };

  /** Resets the host, so that the next cloud gets a new machine without the old cluster and its disks. */
  const makeNew = async (): Promise<void> => {
    await deployment.furrow("run", { playbook: "harvester-destroy", vars: ["removeDisks=true"], yes: true });
    const [disk] = deployment.host.disks;
    if (disk !== undefined) await removeDisk(deployment.host, disk);
    await deployment.inHost(`sed -i /datadisk/d /etc/fstab && systemctl daemon-reload
      rmdir /mnt/datadisk* && rm -rf /var/lib/furrow`);
  };

  test("is provisioned on EC2, deployed without editing a file, and destroyed", { timeout: 900_000 }, async () => {
    await provision("clouds/provision-aws");
    const world = ec2.world("eu-test-1");
    expect(world.instances).toMatchObject([{ state: "running", type: "m8i.4xlarge", nested: true }]);
    expect([...(world.groups[0]?.rules ?? [])].toSorted()).toEqual([
      "tcp 22 22 192.0.2.7/32",
      "tcp 443 443 0.0.0.0/0",
      "tcp 6443 6443 192.0.2.7/32",
    ]);
    const tasks = await deploy("aws");
    await makeNew();
    await here("clouds/destroy-cloud", ["--yes"], ["prefix=harvester"]);
    expect(world.instances.filter(({ state }) => state !== "terminated")).toEqual([]);
    expect([world.volumes, world.addresses, world.groups, world.keyPairs]).toEqual([[], [], [], []]);
    covered(`EC2: provision-aws, ${tasks} tasks of the Harvester playbook on its machine, destroy-cloud`);
  });

  test(
    "is provisioned on Compute Engine, deployed without editing a file, and destroyed",
    { timeout: 900_000 },
    async () => {
      const where = `project=${project}`;
      await provision("clouds/provision-gcp", where);
      expect(gce.things()).toEqual({
        networks: ["harvester"],
        firewalls: ["harvester-open", "harvester-managed"],
        addresses: ["harvester"],
        disks: ["harvester-data-1", "harvester"],
        instances: ["harvester"],
      });
      const tasks = await deploy("gcp");
      await here("clouds/destroy-cloud", ["--yes"], ["prefix=harvester", where]);
      expect(gce.things()).toEqual({});
      covered(`Compute Engine: provision-gcp, ${tasks} tasks of the Harvester playbook on its machine, destroy-cloud`);
    },
  );
});
