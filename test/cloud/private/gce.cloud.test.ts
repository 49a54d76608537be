import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import provisionGcp from "../../../playbooks/clouds/provision-gcp.ts";
import { awsHostSchema } from "../../../roles/aws-host/role.ts";
import { gcpHostSchema } from "../../../roles/gcp-host/role.ts";
import { covered } from "../../covered.ts";
import { publicKey } from "../../transport/sshd.ts";
import { GceFake, project } from "../gce-fake/fake.ts";
import { blockOf } from "../pages/page-blocks.ts";
import { runHere } from "../run-here.ts";
import { here, key, login, policyOf, pong, refusals, sshdBehindTunnels } from "./reached.ts";

const sshd = sshdBehindTunnels();

describe("a machine without an external address on Compute Engine", () => {
  let fake: GceFake;
  const vars = { project, publicKey: publicKey(key), login, publicAddress: false, tunnel: "iap" };

  beforeEach(async () => {
    fake = new GceFake();
    Object.assign(fake.settings, { hostKeys: [sshd.hostKey()] });
    for (const [name, value] of Object.entries(await fake.start())) vi.stubEnv(name, value);
  });
  afterEach(() => fake.stop());

  test("is created, found by the inventory, answers through IAP, and is destroyed", async () => {
    await here("clouds/provision-gcp", vars);
    const machine = fake.state.things.get(`projects/${project}/zones/europe-west3-a/instances/harvester`);
    expect(machine?.["networkInterfaces"]).toMatchObject([{ accessConfigs: [] }]);
    expect(fake.things()["addresses"]).toBeUndefined();
    await pong("inventory/gcp.ts");
    const before = fake.changes.length;
    await here("clouds/provision-gcp", vars);
    expect(fake.changes.length).toBe(before);
    await here("clouds/destroy-cloud", { prefix: "harvester", project }, "--yes");
    expect(fake.things()).toEqual({});
    covered(
      "Compute Engine: a machine without an external address, created, reached through a stand-in for IAP, destroyed",
    );
  });

  test("is refused in a network whose rules keep the tunnels out, both in check mode and in a run", async () => {
    fake.state.put(`projects/${project}/global/networks/shared`, { name: "shared", autoCreateSubnetworks: true });
    const match = { srcIpRanges: ["0.0.0.0/0"], layer4Configs: [{ ipProtocol: "tcp", ports: ["22"] }] };
    const rules = [{ action: "deny", direction: "INGRESS", priority: 10, ruleName: "no-ssh", match }];
    fake.settings.firewallPolicies = [{ name: "1234", shortName: "base", type: "HIERARCHY", rules }];
    expect(await refusals(provisionGcp, { ...vars, network: "shared" })).toEqual([
      expect.stringContaining("no-ssh of the firewall policy base blocks IAP's tunnels to port 22"),
    ]);
    expect(fake.changes).toEqual([]);
  });

  test("is allowed without a Cloud NAT, with a warning", async () => {
    const notes = async (): Promise<readonly string[]> => {
      const { tasks } = await runHere(provisionGcp, { mode: "check", vars: { ...vars, network: "shared" } });
      return tasks.find(({ title }) => title.startsWith("way into"))?.notes ?? [];
    };
    fake.state.put(`projects/${project}/global/networks/shared`, { name: "shared", autoCreateSubnetworks: true });
    expect(await notes()).toEqual([expect.stringContaining("there is no Cloud NAT for shared in europe-west3")]);
    fake.state.put(`projects/${project}/regions/europe-west3/routers/out`, {
      name: "out",
      network: `projects/${project}/global/networks/shared`,
      nats: [{ name: "nat", type: "PUBLIC", sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES" }],
    });
    expect(await notes()).toEqual([]);
    const printed = await policyOf(provisionGcp, { ...vars, network: "shared" });
    expect(printed).toContain("compute.networks.getEffectiveFirewalls");
    expect(printed).toContain("compute.routers.list");
  });
});

test("the guide's commands set only vars that the playbooks have", () => {
  const { text } = blockOf("clouds", "npx furrow run playbooks/clouds/provision-aws.ts");
  const [aws = "", gcp = ""] = text.split(/(?=npx furrow run playbooks\/clouds\/provision-gcp\.ts)/);
  const names = (command: string): string[] => [...command.matchAll(/--var (\w+)=/g)].map(([, name = ""]) => name);
  expect(names(aws).filter((name) => !(name in awsHostSchema.shape))).toEqual([]);
  expect(names(gcp).filter((name) => !(name in gcpHostSchema.shape))).toEqual([]);
  expect([names(aws).length, names(gcp).length]).toEqual([7, 4]);
});
