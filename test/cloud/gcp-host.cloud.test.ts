import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { Deployment } from "../playbooks/deployment.ts";
import { furrow } from "./furrow.ts";
import { GceFake, project } from "./gce-fake/fake.ts";

/** Needs root and Linux: the machine of the fake is a host of the lab. */
const canHaveLab = process.platform === "linux" && process.getuid?.() === 0;

/** Another run may have this machine just now. */
const here = ["-i", "local", "--wait-lock", "300", "--json", "--var", `project=${project}`];

describe.skipIf(!canHaveLab)("a machine of Compute Engine", () => {
  const fake = new GceFake();
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.up("cloud-gcp", 1, "v1.7.1", "test/cloud/gcp-inventory.ts");
    const [host] = deployment.lab.hosts;
    const address = host?.address ?? "";
    const known = readFileSync(deployment.lab.knownHostsFile, "utf8").split("\n");
    const ofHost = known.filter((line) => line.includes(address));
    fake.settings.hostKeys = ofHost.map((line) => line.split(" ").slice(1, 3).join(" "));
    fake.settings.addressOf = () => address;
    Object.assign(process.env, await fake.start());
  }, 300_000);

  afterAll(async () => {
    await fake.stop();
    await deployment.down();
  }, 60_000);

  test("is provisioned, ready for the Harvester playbook with no file edited by hand, and destroyed", async () => {
    const publicKey = readFileSync(`${deployment.lab.identityFile}.pub`, "utf8").trim();
    const vars = ["--var", `publicKey=${publicKey}`, "--var", "login=root", "--var", 'manageFrom=["192.0.2.7/32"]'];
    const made = await furrow("run", "playbooks/provision-gcp.ts", ...here, ...vars);
    expect(made.code, made.stdout.slice(-2000) + made.stderr).toBe(0);
    expect(fake.things()).toEqual({
      networks: ["harvester"],
      firewalls: ["harvester-open", "harvester-managed"],
      addresses: ["harvester"],
      disks: ["harvester-data-1", "harvester"],
      instances: ["harvester"],
    });

    // The host is logged in to by the keys that the provider tells, and has all that the playbook asks for.
    const tasks = await deployment.furrow("check");
    expect(tasks.filter(({ outcome }) => outcome === "changed").length).toBeGreaterThan(20);

    const destroy = ["--var", "prefix=harvester", "--yes"];
    const gone = await furrow("run", "playbooks/destroy-cloud.ts", ...here, ...destroy);
    expect(gone.code, gone.stdout.slice(-2000) + gone.stderr).toBe(0);
    expect(fake.things()).toEqual({});
    covered(`Compute Engine: provision-gcp, a check of ${tasks.length} tasks of the Harvester playbook, destroy-cloud`);
  });
});
