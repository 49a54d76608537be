import { z } from "../../src/authoring.ts";
import { doubledCondition, isEachOnce } from "./contradictions.ts";
import { nodeTerm } from "./nodes/terms.ts";
import { claimsOf, machineVolumes } from "./objects.ts";

const name = z.string().min(1);

/** The phases in which a virtual machine can be without a node: before it is scheduled, and after it has finished. */
const beforeNode = ["Pending", "Scheduling"];
const ended = ["Succeeded", "Failed"];

const nodeAffinity = z.looseObject({
  requiredDuringSchedulingIgnoredDuringExecution: z
    .looseObject({ nodeSelectorTerms: z.array(nodeTerm).default([]) })
    .optional(),
});

const condition = z.looseObject({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().default(""),
  message: z.string().default(""),
});

/** A virtual machine that is running, or about to run (KubeVirt's VirtualMachineInstance). */
export const instanceSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name, labels: z.record(z.string(), z.string()).default({}) }),
    spec: z.looseObject({
      volumes: machineVolumes,
      nodeSelector: z.record(z.string(), z.string()).optional(),
      affinity: z.looseObject({ nodeAffinity: nodeAffinity.optional() }).optional(),
      evictionStrategy: z.string().optional(),
      domain: z.looseObject({ devices: z.looseObject({ hostDevices: z.array(z.unknown()).optional() }) }).optional(),
    }),
    status: z.looseObject({
      phase: z.string().min(1),
      nodeName: name.optional(),
      conditions: z.array(condition).refine(isEachOnce, doubledCondition).default([]),
      interfaces: z.array(z.looseObject({ ipAddress: z.string().default("") })).default([]),
      guestOSInfo: z.looseObject({ id: z.string().default("") }).default({ id: "" }),
    }),
  })
  .refine(({ status: { phase, nodeName } }) => nodeName !== undefined || [...beforeNode, ...ended].includes(phase), {
    path: ["status", "nodeName"],
    message: "no node, although the machine has been scheduled",
  })
  .transform(({ metadata: { namespace, name: own, labels }, spec, status }) => ({
    name: `${namespace}/${own}`,
    labels,
    running: !ended.includes(status.phase),
    phase: status.phase,
    /** The first address of each interface, if KubeVirt knows one. */
    addresses: status.interfaces.map(({ ipAddress }) => ipAddress).filter((address) => address !== ""),
    /** The guest's operating system as reported by its agent: `ubuntu`, `mswindows`; empty without an agent. */
    system: status.guestOSInfo.id,
    /** The node that the machine is on; undefined until it has one. */
    node: status.nodeName,
    claims: claimsOf(namespace, spec.volumes),
    /** Why Harvester could not migrate the machine; undefined if nothing in the machine's definition prevents it. */
    bound: boundBy(spec),
    hasHostDevice: spec.domain?.devices.hostDevices !== undefined,
    /** The labels that the machine's node must have. */
    selector: spec.nodeSelector ?? {},
    /** The machine's node must match at least one of these node selector terms; undefined if any node will do. */
    affinity: spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
    /**
     * What happens if the machine's pod is evicted: `LiveMigrateIfPossible`; undefined if the cluster's own default
     * decides.
     */
    eviction: spec.evictionStrategy,
    /** Whether KubeVirt can live-migrate the machine, and if not, why; undefined until KubeVirt has reported this. */
    migratable: status.conditions.find(({ type }) => type === "LiveMigratable"),
  }));

/** The parts of a running virtual machine that the guards use. */
export type InstanceObject = z.output<typeof instanceSchema>;

interface Placement {
  readonly nodeSelector?: unknown;
  readonly domain?: { readonly devices: { readonly hostDevices?: unknown } } | undefined;
}

/** Harvester's reasons for not migrating a machine, apart from node affinity (pkg/util/virtualmachineinstance). */
function boundBy({ nodeSelector, domain }: Placement): string | undefined {
  if (nodeSelector !== undefined) return "it has a node selector";
  return domain?.devices.hostDevices === undefined ? undefined : "it uses a device of its node";
}
