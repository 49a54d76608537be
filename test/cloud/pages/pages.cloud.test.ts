import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Block } from "../../../scripts/docs/blocks.ts";
import { covered } from "../../covered.ts";
import { Deployment } from "../../playbooks/deployment.ts";
import { AzureFake } from "../azure-fake/fake.ts";
import { DigitalOceanFake } from "../digitalocean-fake/fake.ts";
import { type Ec2Fake, startEc2Fake } from "../ec2-fake/fake.ts";
import { GceFake, project } from "../gce-fake/fake.ts";
import { printedKeys, throughPage, withAuthority } from "./azure.ts";
import { Clone, type Ran } from "./clone.ts";
import { bootScript } from "./boot.ts";
import { hostReady, outcomeOf } from "./outcomes.ts";
import { all, blockOf, executed, notExecuted, pages, take } from "./page-blocks.ts";
import { type OwnAddress, startOwnAddress } from "./own-address.ts";
import type { Created, Machine } from "./stand-in-words.ts";

/** Needs root and Linux: the machine of every cloud is a lab host. */
const canHaveLab = process.platform === "linux" && process.getuid?.() === 0;

describe.skipIf(!canHaveLab)("the commands in the pages about clouds, word for word", () => {
  const gce = new GceFake();
  const digitalOcean = new DigitalOceanFake();
  const azure = new AzureFake();
  const clone = new Clone();
  let ec2: Ec2Fake;
  let own: OwnAddress;
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.up("pages", 1, "v1.7.1", "inventory/start.ts");
    const { lab, host } = deployment;
    const known = readFileSync(lab.knownHostsFile, "utf8").split("\n");
    const hostKeys = known
      .filter((line) => line.includes(host.address))
      .map((line) => line.split(" ").slice(1, 3).join(" "));
    ec2 = await startEc2Fake({ addressOf: () => host.address, hostKeys });
    Object.assign(gce.settings, { addressOf: () => host.address, hostKeys, self: "ann@example.com" });
    own = await startOwnAddress(clone.folder, lab.gateway, [host.address]);
    const publicKey = readFileSync(`${lab.identityFile}.pub`, "utf8").trim();
    clone.login(lab.identityFile);
    clone.placeholders.push(
      ["203.0.113.10", host.address],
      ["198.51.100.7", lab.gateway],
      ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI… me@example.com", publicKey],
      ["NODE_PASSWORD=…", "NODE_PASSWORD=correct-horse-battery"],
      ["project=ID", `project=${project}`],
      ["PROJECT=ID", `PROJECT=${project}`],
      ["harvester-lab-1234", project],
    );
    digitalOcean.settings.addressOf = () => host.address;
    Object.assign(azure.settings, { addressOf: () => host.address, console: () => printedKeys(hostKeys) });
    Object.assign(clone.env, own.env, await gce.start(), await digitalOcean.start(), await azure.start(), {
      NODE_EXTRA_CA_CERTS: withAuthority(own.env["NODE_EXTRA_CA_CERTS"] ?? "", azure.authority),
      AWS_ENDPOINT_URL: ec2.url,
      AWS_ACCESS_KEY_ID: "TEST",
      AWS_SECRET_ACCESS_KEY: "test",
      FURROW_ARTIFACTS: deployment.artifacts,
      CLOUD_STATE: join(clone.folder, "cloud.json"),
      MACHINE_ADDRESS: host.address,
      DEPLOY: "check",
    });
  }, 900_000);

  afterAll(async () => {
    own.close();
    await ec2.close();
    await gce.stop();
    await digitalOcean.stop();
    await azure.stop();
    clone.remove();
    await deployment.down();
  }, 600_000);

  /** Creates the login and the stable names of the disks, as a cloud's own agent does at the first boot. */
  const boot = async ({ user, key, disks }: Pick<Machine, "user" | "key" | "disks">): Promise<void> => {
    const [disk] = deployment.host.disks;
    expect(disks).toHaveLength(1);
    await deployment.inHost(bootScript({ user, key, disk: disks[0] ?? "" }, disk?.path ?? ""));
  };

  /** Boots the machine that a stand-in for a cloud's tool has created, with its firewall. */
  const bootCreated = async (): Promise<void> => {
    const { machine } = JSON.parse(readFileSync(clone.env["CLOUD_STATE"] ?? "", "utf8")) as Created;
    if (machine === undefined) throw new Error("no machine was created");
    const { gateway } = deployment.lab;
    expect(machine.open).toEqual(["22", "443", "6443"].map((port) => `${port} ${gateway}/32`));
    await boot(machine);
  };

  /** Runs the commands that create a machine, which boots before the first login. */
  const create = async (block: Block): Promise<readonly Ran[]> => {
    writeFileSync(clone.env["CLOUD_STATE"] ?? "", "{}");
    return clone.run(block, { before: (command) => (command.startsWith("ssh ") ? bootCreated() : Promise.resolve()) });
  };

  /** The user types the prefix to confirm that the machine is to be deleted. */
  const typed = [{ question: /Type harvester to continue:/, answer: "harvester" }];
  const isDeployment = (command: string): boolean => command.includes("playbooks/harvester.ts");

  /** Takes the token from the environment and the password from the terminal, as own.ts specifies. */
  const withOwnSecrets = async (): Promise<void> => {
    Object.assign(clone.env, { AWS_REGION: "eu-central-1", HARVESTER_TOKEN: "a-token-of-my-own" });
    clone.write(take("clouds", "own.ts"));
    const block = take("clouds", "npx furrow run playbooks/harvester.ts -i inventory/aws.ts -i own.ts");
    const answers = [{ question: /Password of the nodes/, answer: "correct-horse-battery" }];
    const [ran] = await clone.run(block, { answers });
    expect(ran && outcomeOf(ran, hostReady)).toBe("ok");
    expect(ran?.output).toContain("Password of the nodes");
    delete clone.env["AWS_REGION"];
  };

  test(
    "EC2: the playbook creates the machine, the host is ready, and the removal leaves nothing behind",
    { timeout: 900_000 },
    async () => {
      const world = ec2.world("eu-central-1");
      const before = async (command: string): Promise<void> => {
        if (command.includes("playbooks/clouds/destroy-cloud.ts")) await withOwnSecrets();
        if (!isDeployment(command)) return;
        const disks = world.volumes
          .filter(({ deleteOnTermination }) => !deleteOnTermination)
          .map(({ id }) => `/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${id.replace("-", "")}`);
        await boot({ user: "admin", key: world.keyPairs[0]?.publicKey ?? "", disks });
      };
      const block = take("clouds", "npx furrow check playbooks/clouds/provision-aws.ts");
      const ran = await clone.run(block, { answers: typed, before });
      const deployed = ran.find(({ command }) => isDeployment(command));
      expect(deployed && outcomeOf(deployed, hostReady)).toBe("ok");
      expect(world.instances.filter(({ state }) => state !== "terminated")).toEqual([]);
      expect([world.volumes, world.addresses, world.groups, world.keyPairs]).toEqual([[], [], [], []]);
      covered("EC2: from the page's commands to a host that is ready, and back to an empty account");
    },
  );

  test(
    "Compute Engine: the playbook creates the machine, the host is ready, and the removal leaves nothing behind",
    { timeout: 600_000 },
    async () => {
      const before = async (command: string): Promise<void> => {
        if (!isDeployment(command)) return;
        const key = readFileSync(join(clone.home, ".ssh/id_ed25519.pub"), "utf8").trim();
        await boot({ user: "furrow", key, disks: ["/dev/disk/by-id/google-harvester-data-1"] });
      };
      const ran = await clone.run(take("clouds", "npx furrow run playbooks/clouds/provision-gcp.ts"), {
        answers: typed,
        before,
      });
      const deployed = ran.find(({ command }) => isDeployment(command));
      expect(deployed && outcomeOf(deployed, hostReady)).toBe("ok");
      expect(gce.things()).toEqual({});
      covered("Compute Engine: from the page's commands to a host that is ready, and back to an empty project");
    },
  );

  test(
    "DigitalOcean: the playbook creates the droplet, the host is ready, and the removal leaves nothing behind",
    { timeout: 900_000 },
    async () => {
      const { account } = digitalOcean;
      const before = async (command: string): Promise<void> => {
        if (!command.startsWith("ssh ")) return;
        const disks = account.volumes.map(({ name }) => `/dev/disk/by-id/scsi-0DO_Volume_${name}`);
        await boot({ user: "root", key: account.keys[0]?.publicKey ?? "", disks });
      };
      const block = take("clouds", "npx furrow check playbooks/clouds/provision-digitalocean.ts");
      const ran = await clone.run(block, { answers: typed, before });
      expect(ran[2]?.output).toContain(deployment.host.address);
      const deployed = ran.filter(({ command }) => isDeployment(command));
      expect(deployed.map((one) => outcomeOf(one, hostReady))).toEqual(["ok", "ok"]);
      expect(account.things()).toEqual({});
      await clone.runFile(take("clouds", "droplet.ts"));
      expect(account.things()).toMatchObject({ droplets: ["lab"], volumes: ["lab-data"], firewalls: ["lab"] });
      covered("DigitalOcean: from the page's commands to a host that is ready, and back to an empty account");
    },
  );

  test(
    "Azure: the playbook creates the machine, the host is ready, and the removal leaves only its group behind",
    { timeout: 900_000 },
    async () => {
      const ran = await throughPage(clone, azure, { answers: typed, boot });
      const deployed = ran.filter(({ command }) => isDeployment(command));
      expect(deployed.map((one) => outcomeOf(one, hostReady))).toEqual(["ok", "ok"]);
      expect(azure.world.names()).toEqual({ resourceGroups: ["harvester"] });
      await clone.runFile(take("clouds", "azure.ts"));
      expect(azure.world.names()).toMatchObject({ virtualMachines: ["lab"], disks: ["lab-data", "lab-os"] });
      covered("Azure: from the page's commands to a host that is ready, and back to an empty group");
    },
  );

  test("the playbooks in clouds.md create their machines and networks", { timeout: 900_000 }, async () => {
    clone.env["AWS_REGION"] = "eu-central-1";
    gce.state.put(`projects/${project}/zones/europe-west3-a/machineTypes/n2-standard-4`, {
      name: "n2-standard-4",
      guestCpus: 4,
      memoryMb: 16_384,
      architecture: "X86_64",
    });
    for (const name of ["playbook.ts", "gcp.ts"]) await clone.runFile(take("clouds", name));
    expect(ec2.world("eu-central-1").instances.filter(({ state }) => state === "running")).toHaveLength(1);
    expect(gce.things()["instances"]).toEqual(["lab"]);
    gce.settings.projectMetadata = { "enable-oslogin": "TRUE" };
    const login = take("clouds", "os-login.ts");
    clone.write(login);
    await clone.run({ ...login, text: "npx furrow check os-login.ts -i local\nnpx furrow run os-login.ts -i local\n" });
    expect(gce.things()["instances"]).toEqual(["lab", "door"]);
    expect(Object.keys(gce.settings.logins["ann@example.com"]?.sshPublicKeys ?? {})).toHaveLength(1);
    gce.settings.projectMetadata = {};
  });

  test("the inventory in clouds.md lists the machines of both regions", { timeout: 600_000 }, async () => {
    const block = take("clouds", "inventory.ts");
    clone.write(block);
    const [made] = ec2.world("eu-central-1").instances.filter(({ state }) => state === "running");
    made?.tags.set("role", "web");
    const [list] = await clone.run({ ...block, text: "npx furrow inventory -i inventory.ts --json\n" });
    expect(list?.output).toContain('"lab"');
    const hidden = take("clouds", "private.ts");
    clone.write(hidden);
    const [reached] = await clone.run({ ...hidden, text: "npx furrow inventory -i private.ts --json\n" });
    expect(reached?.output).toMatch(/"tunnel":\s*\{\s*"value":\s*\{\s*"sessionManager"/);
  });

  test("the vars in harvester.md are valid for the deployment playbook", { timeout: 600_000 }, async () => {
    clone.env["RANCHER_TOKEN"] = "a-token";
    clone.write(blockOf("harvester", "inventory.ts"));
    clone.env["NODE_PASSWORD"] = "correct-horse-battery";
    for (const name of ["config.ts", "air-gap.ts", "adopted.ts"]) {
      const block = take("harvester", name);
      clone.write(block);
      const text = `import { inventory } from "furrow";\nimport { vars } from "./${name}";\nexport default inventory({ hosts: {}, vars });\n`;
      writeFileSync(join(clone.folder, `with-${name}`), text);
      const words = `npx furrow validate playbooks/harvester.ts -i inventory.ts -i with-${name}\n`;
      const [ran] = await clone.run({ ...block, text: words });
      expect(ran?.code).toBe(0);
    }
  });

  test("Compute Engine by hand: the cluster is deployed, and answers a ping", { timeout: 900_000 }, async () => {
    clone.env["DEPLOY"] = "run";
    clone.write(take("harvester", "inventory.ts"));
    await create(take("harvester", "gcloud compute instances create"));
    const ran = await clone.run(take("harvester", "export NODE_PASSWORD="));
    const [check, run, nodes] = ran.slice(1);
    for (const one of [check, run]) expect(one && outcomeOf(one, hostReady)).toBe("ok");
    // kubectl prints the column STATUS only if the API server builds the table, and the stand-in node's API server does
    // not.
    expect(nodes?.output).toMatch(/^harvester-1 /m);
    const [pong] = await clone.run({
      ...blockOf("harvester", "export NODE_PASSWORD="),
      text: `curl -sk -m 10 https://${deployment.host.address}/ping\n`,
    });
    expect(pong?.output).toBe("pong");
    covered("Compute Engine by hand: from the page's gcloud commands to a cluster that answers pong");
  });

  test("the field report is written after the question is answered", { timeout: 900_000 }, async () => {
    const answers = [{ question: /\[y\/N\]/, answer: "y" }];
    await clone.run(take("harvester", "npx furrow doctor harvester harvester -i inventory.ts"), { answers });
    expect(readFileSync(join(clone.folder, "harvester-field-report.json"), "utf8")).toContain('"facts"');
  });
});

describe("the blocks of the pages about clouds", () => {
  test.skipIf(!canHaveLab)("are all executed, except for those in the closed list", () => {
    const left = new Set(notExecuted.map(([page, start]) => blockOf(page, start)));
    const neither = all.filter(({ block }) => !executed.has(block) && !left.has(block));
    expect(neither.map(({ page, block }) => `${pages[page]}:${block.line} ${block.text.slice(0, 60)}`)).toEqual([]);
    expect([...left].filter((block) => executed.has(block))).toEqual([]);
    covered(`${executed.size} of ${all.length} blocks of ${Object.values(pages).join(" and ")} executed word for word`);
  });
});
