import { type KubernetesAnswer, kubernetesCall, Refusal, refuse, seconds, task, z } from "../../src/authoring.ts";
import { kubeGiveBack } from "../../src/facts/catalogue.ts";
import { askCluster, clusterLists, decideOn } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { annotationsWithout } from "./annotations.ts";
import { ownersBefore, recordNames, recordOf, strategyField } from "./record.ts";

/** The path of a virtual machine in the API. */
export function machinePath(machine: string): string {
  const [namespace = "", name = ""] = machine.split("/");
  return clusterLists.machines.path.replace("/virtualmachines", `/namespaces/${namespace}/virtualmachines/${name}`);
}

/** The first refusal among the decisions; if there is no refusal, all decisions. */
function allOf<W>(decisions: readonly (W | Refusal)[]): readonly W[] | Refusal {
  return decisions.find((one) => one instanceof Refusal) ?? (decisions as readonly W[]);
}

const spec = z.looseObject({ runStrategy: z.string().optional(), running: z.boolean().optional() });

/** Returns a machine's `runStrategy`, which says when KubeVirt runs it; translates the older field `running`. */
function strategyOf(object: Readonly<Record<string, unknown>>): string {
  const { runStrategy, running } = spec.safeParse(object["spec"]).data ?? {};
  return runStrategy ?? (running === true ? "Always" : "Halted");
}

/**
 * True if KubeVirt does not start a machine by itself when its strategy is restored: for `Manual` it waits for a
 * request to start (StartVMRequestHandler in pkg/virt-api/rest/lifecycle.go of kubevirt/kubevirt, commit 03f39543).
 */
export function startsByHand(strategy: string | undefined): boolean {
  return strategy === "Manual";
}

/** Refuses to shut down machines that would stay off after the maintenance. */
export function refuseByHand(machines: readonly string[]): Refusal {
  return refuse({
    code: "starts-by-hand",
    message: `after the maintenance, these machines would stay off, because of their run strategy Manual: ${machines.join(", ")}`,
    hint: "Shut them down yourself, remove them from shutDown, and start them yourself afterwards; or give them another run strategy first",
  });
}

function changed(object: object): KubernetesAnswer {
  return { found: true, object };
}

/** Shuts down virtual machines for the maintenance of a node, and records on each how it ran before. */
export const machinesHalted = task({
  name: "machinesHalted",
  summary: "Shut down virtual machines for the maintenance of a node",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    node: z.string().describe("Name of the node"),
    machines: z.array(z.string()).describe("The machines: NAMESPACE/NAME"),
  }),
  examples: [],
  title: ({ machines }) => `shut down the virtual machines ${machines.join(", ")}`,
})
  .facts((p) => ({ machines: p.machines.map((machine) => askObject(p.kubeconfig, machinePath(machine))) }))
  .want((p, now) => {
    const wanted = allOf(
      p.machines.map((machine, index) => {
        const answer = now.machines[index] as KubernetesAnswer;
        const asked = { kind: "VirtualMachine", name: machine.split("/")[1] ?? "" };
        return decideOnObject(answer, asked, `how ${machine} runs`, (object) => {
          if (object === undefined) return noMachine(machine);
          const strategy = strategyOf(object);
          if (strategy === "Halted") return answer;
          if (startsByHand(strategy)) return refuseByHand([machine]);
          return changed({
            metadata: { annotations: recordOf(object, p.node, strategy) },
            spec: { runStrategy: "Halted" },
          });
        });
      }),
    );
    return wanted instanceof Refusal ? wanted : { machines: wanted };
  })
  .steps((p, { change, now }) =>
    p.machines.map((machine, index) => {
      const answer = now.machines[index];
      if (change.machines === undefined || answer === undefined || !("object" in answer)) return undefined;
      const strategy = strategyOf(answer.object as Readonly<Record<string, unknown>>);
      return (
        strategy !== "Halted" &&
        kubernetesCall(
          p.kubeconfig,
          "PATCH",
          machinePath(machine),
          `shut down ${machine}`,
          haltPatch(recordOf(answer.object, p.node, strategy)),
        )
      );
    }),
  )
  .notes(() => ["if the maintenance does not begin, --var action=leave starts them again"]);

/** The patch that shuts a machine down for maintenance. @param record the annotations that say how it ran */
export function haltPatch(record: Readonly<Record<string, string>>) {
  return { metadata: { annotations: record }, spec: { runStrategy: "Halted", running: null } };
}

/** Waits until virtual machines are no longer running. */
export const machinesOff = task({
  name: "machinesOff",
  summary: "Wait until virtual machines are no longer running",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machines: z.array(z.string()).describe("The machines: NAMESPACE/NAME"),
    deadlineSeconds: seconds().describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ machines }) => `the virtual machines are off: ${machines.join(", ")}`,
})
  .facts((p) => askCluster(p.kubeconfig, "instances"))
  .want((p, now) =>
    decideOn(now, ["instances"], "whether the machines still run", ({ instances }) => {
      const on = instances.filter(({ name, running }) => running && p.machines.includes(name));
      if (on.length === 0) return {};
      return refuse({
        code: "not-yet",
        message: `still running: ${on.map(({ name, phase }) => `${name} (${phase})`).join(", ")}`,
        hint: "Look at the machine's console: its guest may ignore the request to shut down",
      });
    }),
  )
  .wait((p) => ({ intervalSeconds: 3, deadlineSeconds: p.deadlineSeconds, waitsFor: "the machines to shut down" }));

/** A machine that is restarted, and how. */
export interface Restart {
  readonly machine: string;
  /** The `runStrategy` that it gets; undefined if somebody has set another one in the meantime. */
  readonly strategy?: string | undefined;
}

const restart = z.strictObject({
  machine: z.string().describe("The machine: NAMESPACE/NAME"),
  strategy: z.string().optional().describe("The machine's `runStrategy`; default: unchanged"),
});

/** Restarts the virtual machines that were shut down for the maintenance of a node. */
export const machinesRestarted = task({
  name: "machinesRestarted",
  summary: "Restart the virtual machines that were shut down for maintenance",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machines: z.array(restart).describe("The machines"),
  }),
  examples: [],
  title: ({ machines }) => `start the virtual machines again: ${machines.map(({ machine }) => machine).join(", ")}`,
})
  .facts((p) => ({ machines: p.machines.map(({ machine }) => askObject(p.kubeconfig, machinePath(machine))) }))
  .want((p, now) => {
    const wanted = allOf(
      p.machines.map(({ machine, strategy }, index) => {
        const asked = { kind: "VirtualMachine", name: machine.split("/")[1] ?? "" };
        return decideOnObject(now.machines[index] as KubernetesAnswer, asked, `how ${machine} runs`, (object) =>
          object === undefined
            ? noMachine(machine)
            : changed({
                metadata: { annotations: annotationsWithout(object, recordNames) },
                ...(strategy !== undefined && { spec: { runStrategy: strategy } }),
              }),
        );
      }),
    );
    return wanted instanceof Refusal ? wanted : { machines: wanted };
  })
  .steps((p, { change, now }) =>
    p.machines.flatMap(({ machine, strategy }, index) => {
      if (change.machines === undefined) return [];
      const owners = ownersBefore(now.machines[index]);
      const { metadata, ...runs } = restartPatch(strategy);
      const path = machinePath(machine);
      const forgets = `remove furrow's record from ${machine}`;
      const label = strategy === undefined ? forgets : `start ${machine} again`;
      if (owners.length === 0) return [kubernetesCall(p.kubeconfig, "PATCH", path, label, restartPatch(strategy))];
      // The record is removed last, so that a rerun can finish the restart after an interruption.
      return [
        strategy !== undefined && kubernetesCall(p.kubeconfig, "PATCH", path, label, runs),
        kubeGiveBack(
          p.kubeconfig,
          path,
          `give spec.runStrategy of ${machine} back to ${owners.map(({ manager }) => manager).join(", ")}`,
          strategyField,
          owners,
        ),
        kubernetesCall(p.kubeconfig, "PATCH", path, forgets, { metadata }),
      ];
    }),
  );

/** The patch that restarts a machine after maintenance; without a strategy, it only removes the annotations. */
export function restartPatch(strategy: string | undefined) {
  return {
    metadata: { annotations: Object.fromEntries(recordNames.map((name) => [name, null])) },
    ...(strategy !== undefined && { spec: { runStrategy: strategy, running: null } }),
  };
}

function noMachine(machine: string): Refusal {
  return refuse({
    code: "no-machine",
    message: `the cluster no longer has ${machine}`,
    hint: "Rerun: somebody has deleted it in the meantime",
  });
}
