import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { answersOf, instanceOf, machineOf, nodeOf, soundCluster } from "../../test/guards/examples.ts";
import { mayLeave } from "./quorum.ts";

const cluster = {
  ...soundCluster,
  nodes: [nodeOf("harvester-1"), nodeOf("harvester-2", { ready: false }), nodeOf("harvester-3")],
  instances: [
    instanceOf("web", "harvester-2"),
    instanceOf("db", "harvester-1"),
    instanceOf("lone", "harvester-2"),
    instanceOf("done", "harvester-2", "Succeeded"),
  ],
  machines: [machineOf("web"), machineOf("db")],
};
/** Asks whether harvester-2, whose kubelet does not answer, may leave the cluster. */
const ask = (domain: ReturnType<typeof domainWith> | typeof absent, ...acceptLoss: string[]): Explanation =>
  explain(mayLeave({ kubeconfig: "k", node: "harvester-2", acceptLoss }), { ...answersOf(cluster), domain });

describe("the virtual machines of a node whose kubelet does not answer", () => {
  test.each(["running", "paused"])("may still be running while the node is %s in libvirt, and are named", (state) => {
    const { refusal } = ask(domainWith({}, { state }), "default/lone");
    expect(refusal?.message).toBe(
      "without harvester-2 these would be lost: the memory of 1 virtual machine (harvester-2 is not ready, but it is running in libvirt, so they may be too): default/web",
    );
    expect(refusal?.hint).toBe(
      `Repair the kubelet, or shut harvester-2 down and rerun; or, to lose it, add --var acceptLoss='["default/lone","default/web"]'`,
    );
  });

  test("are killed only if all of them are accepted by name, and a note names them", () => {
    const { refusal, notes } = ask(domainWith({}, { state: "running" }), "default/lone", "default/web");
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      "lost with harvester-2, as accepted: 1 virtual machine: default/lone; and the memory of 1 virtual machine (harvester-2 is not ready, but it is running in libvirt, so they may be too): default/web",
    ]);
  });

  test("have stopped if the node is off in libvirt, or is not defined there any more", () => {
    expect(ask(domainWith({}, { state: "shut off" }), "default/lone").refusal).toBeUndefined();
    expect(ask(absent, "default/lone").refusal).toBeUndefined();
  });
});
