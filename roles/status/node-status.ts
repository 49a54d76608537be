import { absent, fileTail, hostHttp, libvirtDomain, port, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";
import { panicOf, progressOf } from "../cluster-ready/fetched.ts";
import { bootLog, type ClusterNode, consoleLog } from "../cluster/nodes.ts";
import { kubeletPort } from "../cluster-ready/node-answers.ts";

const params = z.strictObject({
  stages: z.array(z.strictObject({ path: z.string(), what: z.string() })).describe("What the node fetches, in order"),
  node: z.custom<ClusterNode>().describe("The node"),
});

/** Reports the state of a node: its virtual machine, its membership in the cluster, and its installation. */
export const nodeStatus = task({
  name: "nodeStatus",
  summary: "Report the state of a node",
  params,
  examples: [],
  title: ({ node }) => `status of ${node.name}`,
})
  .facts(({ node }) => ({
    domain: libvirtDomain(node.name),
    kubelet: port(node.address, kubeletPort),
    ssh: port(node.address, 22),
    log: fileTail(bootLog, 400),
    console: fileTail(consoleLog(node), 20),
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ stages, node }, { domain, kubelet, ssh, log, console: screen }) => {
    if (domain === absent) return [`${node.name} is not defined on this host`];
    const { state, reason } = domain;
    const where = `${node.name} (${node.role}, ${node.address}) is ${state}${reason === "" ? "" : `: ${reason}`}`;
    if (state !== "running") return [where];
    if (kubelet.open) return [`${where}, and part of the cluster${ssh.open ? "" : ", but accepts no logins"}`];
    const halted = panicOf(fileText(screen) ?? "") !== undefined;
    return [
      where,
      `not part of the cluster yet; ${progressOf(node, stages, fileText(log) ?? "", fileText(screen) ?? "")}`,
      ...(halted ? [`${node.name} has halted; to boot it again, run "virsh reset ${node.name}" on the host`] : []),
    ];
  });

/** Reports whether the cluster answers on its virtual address. */
export const clusterStatus = task({
  name: "clusterStatus",
  summary: "Report whether the cluster answers",
  params: z.strictObject({ url: z.url().describe("URL that must answer pong") }),
  examples: [],
  title: () => "status of the cluster",
})
  .facts((p) => ({ answer: hostHttp({ url: p.url, timeoutSeconds: 10, insecure: true }) }))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, { answer }) => {
    if ("error" in answer) return [`the cluster does not answer at ${p.url}: ${answer.error.message}`];
    if (answer.status === 200 && answer.body.trim() === "pong") return [`the cluster answers at ${p.url}`];
    return [`the cluster answers at ${p.url}, but not with pong: ${answer.status} ${answer.body.trim().slice(0, 80)}`];
  });
