import { absent, file, port, role, task, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { kubeletPort } from "../cluster-ready/node-answers.ts";
import { bootLog } from "../cluster/nodes.ts";
import { installedReport } from "../pxe-server/boot-files.ts";
import { otherServersNamed } from "../pxe-server/other-servers.ts";
import { dhcpLog, reportsFolder } from "../pxe-server/places.ts";
import type { Rack, RackNode } from "../pxe-server/rack-fields.ts";
import { clusterStatus } from "../status/node-status.ts";
import { kubernetesStatus } from "../status/cluster-nodes.ts";
import { readLog, strangers, usefulLines } from "./dhcp-log.ts";
import { nodeProgress } from "./progress.ts";

/**
 * Reports how far the installation of each machine in a rack has got, and which unknown machines asked for an address.
 * Changes nothing.
 */
export const pxeStatus = role(
  {
    name: "PXE status",
    summary: "Report the progress of each MAC address: DHCP, iPXE, kernel, configuration, installed, joined",
    params: z.strictObject({ rack: z.custom<Rack>(), card: z.string().optional() }),
  },
  ({ rack, card }) => {
    const dhcp = logLines(dhcpLog, usefulLines);
    const web = logLines(bootLog, "^[0-9]");
    const { version } = rack;
    return [
      dhcp,
      web,
      rack.nodes.map((node) =>
        machineStatus({
          version,
          node,
          dhcp: dhcp.output.map(({ stdout }) => stdout),
          web: web.output.map(({ stdout }) => stdout),
        }),
      ),
      unknownMachines({ dhcp: dhcp.output.map(({ stdout }) => stdout), known: rack.nodes.map(({ mac }) => mac) }),
      clusterStatus({ url: `https://${rack.vip}/ping` }),
      rack.kubeconfig !== undefined && kubernetesStatus({ kubeconfig: rack.kubeconfig }),
      card !== undefined && otherServersNamed(rack, card),
    ];
  },
);

/**
 * Reads the end of a log, within the limit of a command's output. A missing log is an error, and is not treated like an
 * empty log.
 */
function logLines(path: string, pattern: string) {
  const script = `lines=$(grep -hE -- "$2" "$1") || [ $? -eq 1 ] || exit
printf '%s\\n' "$lines" | tail -n 3000 | tail -c 200000`;
  return t.command({ command: ["sh", "-c", script, "sh", path, pattern], readOnly: true }, { name: `read ${path}` });
}

/** Reports the progress of one machine. */
export const machineStatus = task({
  name: "machineStatus",
  summary: "Report the progress of a machine",
  params: z.strictObject({
    version: z.string().describe("Harvester version to install on the machine"),
    node: z.custom<RackNode>().describe("The machine"),
    dhcp: z.string().describe("Lines of dnsmasq's log"),
    web: z.string().describe("Lines of nginx's log"),
  }),
  examples: [],
  title: ({ node }) => `status of ${node.name} (${node.mac}, ${node.address})`,
})
  .facts(({ node }) => ({
    report: file(`${reportsFolder}${installedReport(node)}`),
    kubelet: port(node.address, kubeletPort),
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ version, node, dhcp, web }, { report, kubelet }) => [
    nodeProgress({ version }, node, {
      dhcp: readLog(dhcp),
      web,
      installed: report !== absent,
      joined: kubelet.open,
    }),
  ]);

/** Lists the machines that sent the server a request but are not nodes. */
export const unknownMachines = task({
  name: "unknownMachines",
  summary: "List the machines that sent DHCP requests but are not nodes",
  params: z.strictObject({
    dhcp: z.string().describe("Lines of dnsmasq's log"),
    known: z.array(z.string()).describe("MAC addresses of the nodes"),
  }),
  examples: [],
  title: () => "machines that are not nodes",
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ dhcp, known }) => {
    const found = strangers(readLog(dhcp), known);
    return found.length === 0 ? ["no other machine has sent a request"] : found;
  });
