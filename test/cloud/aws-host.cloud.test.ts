import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { Deployment } from "../playbooks/deployment.ts";
import { nodesOf } from "../playbooks/kubernetes.ts";
import { type Ec2Fake, startEc2Fake } from "./ec2-fake/fake.ts";
import { furrow } from "./furrow.ts";

/** Needs root and Linux: the machine of the fake is a host of the lab. */
const canHaveLab = process.platform === "linux" && process.getuid?.() === 0;

/** Another run may have this machine just now. */
const here = ["--wait-lock", "300", "--json"];

describe.skipIf(!canHaveLab)("a Harvester cluster on a machine of EC2", () => {
  let fake: Ec2Fake;
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.up("cloud-aws", 1, "v1.7.1", "test/cloud/aws-inventory.ts");
    const [host] = deployment.lab.hosts;
    const address = host?.address ?? "";
    const known = readFileSync(deployment.lab.knownHostsFile, "utf8").split("\n");
    const keys = known.filter((line) => line.includes(address)).map((line) => line.split(" ").slice(1, 3).join(" "));
    fake = await startEc2Fake({ addressOf: () => address, hostKeys: keys });
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: fake.url,
      AWS_ACCESS_KEY_ID: "TEST",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_REGION: "eu-test-1",
    });
  }, 300_000);

  afterAll(async () => {
    await fake.close();
    await deployment.down();
  }, 60_000);

  test("is provisioned, deployed with no file edited by hand, and destroyed", { timeout: 900_000 }, async () => {
    const publicKey = readFileSync(`${deployment.lab.identityFile}.pub`, "utf8").trim();
    const vars = ["--var", `publicKey=${publicKey}`, "--var", 'manageFrom=["192.0.2.7/32"]', "--var", "login=root"];
    const made = await furrow("run", "playbooks/provision-aws.ts", "-i", "local", ...here, ...vars);
    expect(made.code, made.stdout.slice(-2000) + made.stderr).toBe(0);
    const world = fake.world("eu-test-1");
    expect(world.instances).toMatchObject([{ state: "running", type: "m8i.4xlarge", nested: true }]);
    expect([...(world.groups[0]?.rules ?? [])].toSorted()).toEqual([
      "tcp 22 22 192.0.2.7/32",
      "tcp 443 443 0.0.0.0/0",
      "tcp 6443 6443 192.0.2.7/32",
    ]);

    const tasks = await deployment.furrow("run");
    expect(tasks.filter(({ outcome }) => outcome !== "ok" && outcome !== "changed")).toEqual([]);
    expect(await nodesOf(deployment.kubeconfig)).toEqual([
      { name: "harvester-1", ready: true, roles: ["control-plane", "etcd"] },
    ]);

    const gone = await furrow(
      "run",
      "playbooks/destroy-cloud.ts",
      "-i",
      "local",
      ...here,
      "--var",
      "prefix=harvester",
      "--yes",
    );
    expect(gone.code, gone.stdout.slice(-2000) + gone.stderr).toBe(0);
    expect(world.instances.filter(({ state }) => state !== "terminated")).toEqual([]);
    expect([world.volumes, world.addresses, world.groups, world.keyPairs]).toEqual([[], [], [], []]);
    covered(`EC2: provision-aws, ${tasks.length} tasks of the Harvester playbook on its machine, destroy-cloud`);
  });
});
