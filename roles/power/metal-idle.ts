import { type ControllerFact, file, operator, port, refuse, task, z } from "../../src/authoring.ts";
import { ipmiPowerOf, type MachinePower, redfishPowerOf } from "../../src/facts/catalogue.ts";
import { askCluster, lookAt, notSeen, type Unseen } from "../cluster-answers/answers.ts";
import { freshRecord, recordText } from "./checked.ts";
import { inUse, silence } from "./no-workloads.ts";
import { controlledBy, type MetalNode, metalSchema, nodePorts } from "./metal.ts";
import { otherNodes } from "./other-nodes.ts";
import { notOurRecord } from "./own-record.ts";

const lists = ["instances", "volumes", "upgrades", "nodes"] as const;
const question = "whether anything runs on the cluster";
const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  record: z.string().describe("The file on the controller in which the shutdown is recorded"),
  nodes: metalSchema.shape.nodes,
});

/**
 * Refuses to shut down a cluster if it is in use, or if furrow cannot tell whether it is. Also refuses a cluster whose
 * nodes are not those in the vars, because its answers say nothing about these machines. Records on the controller that
 * a shutdown of these machines has begun. A rerun does not need an answer from a cluster that has lost its quorum
 * because of the shutdown. Guests on the remaining nodes would keep running without the cluster, so only a recent
 * record counts.
 */
export const metalIdle = task({
  name: "metalIdle",
  summary: "Refuse to switch off a cluster that is in use, and record that a shutdown has begun",
  params,
  examples: [],
  title: () => "nothing runs on the cluster",
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...lists),
    record: file(p.record, ["text"]),
    operator: operator(),
    controllers: p.nodes.flatMap((node) => controllerOf(node) ?? []),
    answers: p.nodes.flatMap((node) =>
      controllerOf(node) === undefined ? nodePorts.map((number) => port(node.address, number)) : [],
    ),
  }))
  .want((p, now) => {
    const inTheWay = notOurRecord(p.record, now.record);
    if (inTheWay !== undefined) return inTheWay;
    const on = onIn(p, now);
    if (on.length === 0) return {};
    const silent = now.controllers.find(({ problem }) => problem !== undefined)?.problem;
    if (silent !== undefined) return refuse(silent);
    const look = lookAt(now, ...lists);
    const since = now.operator.since;
    if ("seen" in look)
      return (
        otherNodes(p.kubeconfig, p.nodes, look.seen) ?? inUse(look.seen) ?? recordWith(p, begunAt(p, now) ?? since)
      );
    return needsNoAnswer(p, now, look.unseen, on.length) === undefined
      ? notSeen(question, look.unseen, "; force=true switches the cluster off without asking")
      : {};
  })
  .steps((p, { change, want }) => {
    const { record } = want as { readonly record?: { readonly text: string } };
    return [change.record && { step: "writeFile", path: p.record, text: record?.text ?? "", mode: "0600" }];
  })
  .notes((p, now) => {
    const on = onIn(p, now);
    if (on.length === 0) return ["all nodes are off, so the cluster was not asked whether anything runs on it"];
    const look = lookAt(now, ...lists);
    const why = "unseen" in look ? needsNoAnswer(p, now, look.unseen, on.length) : undefined;
    return why === undefined ? [] : [why];
  });

type Params = z.output<typeof params>;

interface Now {
  readonly record: unknown;
  readonly operator: { readonly since: string };
  readonly controllers: readonly MachinePower[];
  /** For each node without a controller: whether it answers at each of its ports. */
  readonly answers: readonly { readonly open: boolean }[];
}

/** The query to a node's management controller; undefined if it has none. */
export function controllerOf(node: MetalNode): ControllerFact<MachinePower> | undefined {
  if (node.redfish !== undefined) {
    const { password, insecure, fingerprint, ...rest } = node.redfish;
    const pin = fingerprint?.replaceAll(":", "").toLowerCase();
    return redfishPowerOf({ ...rest, fingerprint: pin, password: String(password), ...(insecure && { insecure }) });
  }
  return node.ipmi && ipmiPowerOf({ ...node.ipmi, port: 623, password: String(node.ipmi.password) });
}

/**
 * The nodes that may be on. A node that has no controller and answers at none of its ports counts as off only if this
 * shutdown has already begun.
 */
function onIn(p: Params, now: Now): MetalNode[] {
  let [controllers, answers] = [0, 0];
  const hasBegun = begunAt(p, now) !== undefined;
  return p.nodes.filter((node) => {
    if (controllerOf(node) !== undefined) return now.controllers[controllers++]?.power !== "off";
    const own = now.answers.slice(answers, (answers += nodePorts.length));
    return own.some(({ open }) => open) || !hasBegun;
  });
}

/** When a shutdown of these nodes began; undefined if none did, or if that was too long ago. */
function begunAt(p: Params, { record, operator: { since } }: Now): string | undefined {
  return freshRecord(machinesIn(p), record, since);
}

/**
 * The form in which the record names the machines. Names alone are not enough: the nodes of two clusters may have the
 * same names, and an operator may use one record for both.
 */
function machinesIn({ nodes }: Params): string[] {
  return nodes.map((node) => [node.name, node.address, controlledBy(node)?.trim() ?? "no controller"].join(" "));
}

function recordWith(p: Params, since: string): { readonly record: { readonly type: "file"; readonly text: string } } {
  return { record: { type: "file", text: recordText(machinesIn(p), since) } };
}

/** Says why the cluster need not answer; undefined if it must. */
function needsNoAnswer(p: Params, now: Now, unseen: readonly Unseen[], on: number): string | undefined {
  const isSilent = unseen.every(({ code }) => silence.test(code));
  if (!isSilent || begunAt(p, now) === undefined || on * 2 > p.nodes.length) return undefined;
  return `the cluster was checked and its shutdown has begun: ${on} of ${p.nodes.length} nodes ${on === 1 ? "is" : "are"} still up, and cannot answer alone`;
}
