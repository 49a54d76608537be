import { z } from "zod";
import type { KubernetesListAnswer } from "../../facts/controller/kubernetes.ts";

const name = z.string().min(1);

/** A virtual machine that is running, or about to run, on a Harvester cluster (KubeVirt's VirtualMachineInstance). */
export interface Guest {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** KubeVirt's name for the machine's state: `Running`. */
  readonly phase: string;
  /** The node that the machine is running on; empty until it has one. */
  readonly node: string;
  /** The addresses of all interfaces that KubeVirt knows, in the order of the interfaces. */
  readonly addresses: readonly string[];
  /** The operating system, as reported by the guest agent: `ubuntu`, `mswindows`; empty without an agent. */
  readonly system: string;
}

const guestSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name, labels: z.record(z.string(), z.string()).default({}) }),
    status: z.looseObject({
      phase: name,
      nodeName: z.string().default(""),
      interfaces: z
        .array(z.looseObject({ ipAddress: z.string().default(""), ipAddresses: z.array(z.string()).default([]) }))
        .default([]),
      guestOSInfo: z.looseObject({ id: z.string().default("") }).default({ id: "" }),
    }),
  })
  .transform(({ metadata, status }): Guest => ({
    name: metadata.name,
    namespace: metadata.namespace,
    labels: metadata.labels,
    phase: status.phase,
    node: status.nodeName,
    addresses: [
      ...new Set(status.interfaces.flatMap(({ ipAddress, ipAddresses }) => [ipAddress, ...ipAddresses])),
    ].filter((address) => address !== "" && !/^(fe80:|127\.|::1$)/i.test(address)),
    system: status.guestOSInfo.id,
  }));

const nodeSchema = z
  .looseObject({
    metadata: z.looseObject({ name }),
    status: z.looseObject({ addresses: z.array(z.looseObject({ type: name, address: name })).default([]) }),
  })
  .transform(({ metadata, status }) => ({
    name: metadata.name,
    address: status.addresses.find(({ type }) => type === "InternalIP")?.address,
  }));

/** The label in which Harvester stores a machine's operating system. */
const systemLabel = "harvesterhci.io/os";

const machineSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name, labels: z.record(z.string(), z.string()).default({}) }),
  })
  .transform(({ metadata }) => ({
    id: `${metadata.namespace}/${metadata.name}`,
    system: metadata.labels[systemLabel],
  }));

/** The lists that a query for guests reads. */
export const guestLists = {
  guests: { path: "/apis/kubevirt.io/v1/virtualmachineinstances", kind: "VirtualMachineInstance", schema: guestSchema },
  machines: { path: "/apis/kubevirt.io/v1/virtualmachines", kind: "VirtualMachine", schema: machineSchema },
  nodes: { path: "/api/v1/nodes", kind: "Node", schema: nodeSchema },
} as const;

/** The objects of a list, or what is wrong with the answer; an incomplete list is an error. */
export function objectsIn<S extends z.ZodType>(
  { kind, schema }: { readonly kind: string; readonly schema: S },
  answer: KubernetesListAnswer,
): readonly z.output<S>[] | string {
  if ("error" in answer) {
    const { code, message } = answer.error;
    return code.startsWith("HTTP ") ? `${code}: ${message}` : message;
  }
  if (answer.kind !== `${kind}List`) return `the answer is a ${answer.kind}, not a ${kind}List`;
  const read = z.array(schema).safeParse(answer.items);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return `a ${kind} without a usable ${issue?.path.slice(1).join(".") ?? "form"}: ${issue?.message ?? ""}`;
}
