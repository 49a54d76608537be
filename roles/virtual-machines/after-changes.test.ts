import { describe, expect, test } from "vitest";
import { attachedMachineOf, machineOf } from "../../test/guards/examples.ts";
import { claimOf } from "../../test/guards/operation-examples.ts";
import { cloudInitShown } from "./cloud-init-shown.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { machinesSchema } from "./machines.ts";
import { fit, wish } from "../../test/guards/one-machine.ts";
import { virtualMachines } from "./role.ts";

describe("a machine that the maintenance of a node has shut down", () => {
  const { metadata, spec } = attachedMachineOf("cp-2", "default/platform") as { metadata: object; spec: object };
  const stopped = (annotations: object, labels: object = {}): object => ({
    metadata: { ...metadata, annotations, labels },
    spec: { ...spec, runStrategy: "Halted" },
  });
  const byFurrow = stopped({ "furrow/stopped-for-maintenance-of": "harvester-2" });
  test("is refused until the maintenance ends, with a hint that does not mention force", () => {
    const { refusal } = fit(wish, [byFurrow]);
    expect(refusal?.message).toBe(
      "the maintenance of harvester-2 has shut default/cp-2 down, so its run strategy is Halted until the maintenance ends",
    );
    expect(refusal?.hint).toBe("Run this again after gitops/node-maintenance with --var action=leave");
    const byHarvester = stopped(
      { "harvesterhci.io/maintain-mode-strategy-node-name": "harvester-2" },
      { "harvesterhci.io/maintain-mode-strategy": "ShutdownAndRestartAfterDisable" },
    );
    expect(fit(wish, [byHarvester]).refusal?.message).toBe(refusal?.message);
  });

  test("is not refused if the file wants it off, or with force", () => {
    expect(fit({ ...wish, run: "Halted" }, [byFurrow]).refusal).toBeUndefined();
    expect(fit(wish, [byFurrow], { force: true }).refusal).toBeUndefined();
  });
});

describe("a machine that was restored from a backup", () => {
  const restored = "restore-db-1-0f7c-disk-0";
  const live = {
    ...machineOf("cp-2", restored),
    metadata: { namespace: "default", name: "cp-2", annotations: { "restore.harvesterhci.io/name": "cp-2-from-b" } },
  };
  const disk = (claim: string) => ({ claim, size: "50Gi" });
  const ask = (disks: object[], more: object = {}): Explanation =>
    fit({ ...wish, disks: disks as never }, [live], { claims: [claimOf(restored, "50Gi")], ...more });

  test("is refused, even with force, if it would get empty volumes instead of the restored ones", () => {
    for (const force of [false, true])
      expect(ask([disk("cp-2-disk-0")], { force }).refusal?.message).toBe(
        "default/cp-2 was restored from a backup, and has its data in restore-db-1-0f7c-disk-0; the vars would replace it by cp-2-disk-0: to keep the data, name the volumes in the vars (`volume` of a disk)",
      );
  });

  test("keeps its volumes if the vars name them, and may get another disk", () => {
    expect(ask([disk(restored)]).refusal).toBeUndefined();
    expect(ask([disk(restored), disk("cp-2-data")]).refusal).toBeUndefined();
  });

  test("may get an old volume that acceptVolumes lists", () => {
    const claims = [claimOf(restored, "50Gi"), claimOf("cp-2-disk-0", "50Gi")];
    expect(ask([disk("cp-2-disk-0")], { claims }).refusal?.message).toContain("was restored from a backup");
    const accepted = { claims, acceptVolumes: ["default/cp-2-disk-0"] };
    expect(ask([disk("cp-2-disk-0")], accepted).refusal).toBeUndefined();
  });
});

describe("the Secret of a machine whose userData was removed from the file", () => {
  const secret = (manager: string): object => ({
    found: true,
    object: { kind: "Secret", metadata: { name: "cp-2-cloud-init", managedFields: [{ manager }] }, data: {} },
  });
  const notes = (answer: object): readonly string[] => {
    const machines = ["default/cp-2"];
    return explain(cloudInitShown({ kubeconfig: "k", fieldManager: "furrow-machines", machines }), {
      secrets: [answer],
    }).notes;
  };

  test("is named as left over, with the command that deletes it, because it may contain passwords", () => {
    expect(notes(secret("furrow-machines"))).toEqual([
      "the Secret default/cp-2-cloud-init stays in the cluster, perhaps with passwords, although default/cp-2 has no data for " +
        "cloud-init any more: delete it after the machine's next start, with kubectl delete secret cp-2-cloud-init -n default",
    ]);
  });

  test("is not mentioned if it does not exist, or is somebody else's", () => {
    expect(notes({ found: false })).toEqual([]);
    expect(notes(secret("kubectl"))).toEqual([]);
  });

  test("is reported as unknown if it cannot be read", () => {
    expect(notes({ error: { code: "HTTP 403", message: "HTTP 403: no" } })[0]).toContain(
      "cannot tell whether old cloud-init data for default/cp-2 still exists",
    );
  });

  test("is looked for only for machines without such data, and its data is sealed", () => {
    const machine = { cores: 1, memory: "1Gi", disks: [{ size: "1Gi" }], networks: [{ network: "platform" }] };
    const machines = { plain: machine, own: { ...machine, userData: "#cloud-config" } };
    const { children } = virtualMachines(machinesSchema.parse({ kubeconfig: "k", machines }));
    const asked = paramsOf("cloudInitShown", children);
    expect(asked).toMatchObject([{ machines: ["default/plain"] }]);
    const { facts } = explain(cloudInitShown({ kubeconfig: "k", fieldManager: "f", machines: ["default/plain"] }), {
      secrets: [{ found: false }],
    });
    expect(facts.join()).toContain('"sealed":["data"]');
  });
});

/** The params of all tasks with this name. */
function paramsOf(name: string, nodes: readonly Node[]): unknown[] {
  return nodes.flatMap((one): unknown[] => {
    if (one === false || one === null || one === undefined) return [];
    if (!("node" in one)) return paramsOf(name, one);
    return one.node === "task" && one.module.card.name === name ? [one.input] : [];
  });
}
