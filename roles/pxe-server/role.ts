import { type HostFacts, type Node, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { bootArtifacts } from "../boot-artifacts/role.ts";
import { bootProgramName, documentRoot, tftpRoot } from "../cluster/nodes.ts";
import { artifactsBelow, releaseServer } from "../cluster/releases.ts";
import { labelled } from "../data-disks/labelled.ts";
import { renderConfig } from "../harvester-config/config-text.ts";
import { bootProgram } from "../vm-network/boot-program.ts";
import {
  cardLink,
  diskScript,
  diskScriptPath,
  filePath,
  installedFolder,
  nodeScript,
  serverUrl,
} from "./boot-files.ts";
import { dhcpParams } from "./dhcp.ts";
import { clusterKnown, machineKnown } from "./earlier-reports.ts";
import { bootFamily, type BootFamily } from "./families.ts";
import { mayReinstall } from "./may-reinstall.ts";
import { nginxSite } from "./nginx.ts";
import { rackConfig } from "./node-config.ts";
import { otherServersNamed } from "./other-servers.ts";
import { biosProgram, dhcpFolder, dhcpLog, dhcpUnit, nodesFolder, reportsFolder } from "./places.ts";
import type { Rack, RackNode } from "./rack-fields.ts";
import { serverChecks } from "./server-checks.ts";
import { notesOf, rackNotes } from "./notes.ts";

/** Makes a host serve a rack: DHCP, TFTP for the first file, HTTP for all others. DHCP starts last. */
export const pxeServer = role(
  {
    name: "PXE server",
    summary: "Install the machines of a rack from the network, each with its own configuration",
    params: z.strictObject({
      rack: z.custom<Rack>(),
      facts: z.custom<HostFacts>(),
      inventory: z
        .record(z.string(), z.string())
        .describe("Addresses of the inventory's hosts, which no pool may contain"),
    }),
  },
  ({ rack, facts, inventory }) => {
    const family = bootFamily(facts);
    const card = cardWith(rack.server, facts);
    const checks = serverChecks(rack, facts, card);
    if (family === undefined || card === undefined) return [checks];
    return [
      checks,
      !rack.join && clusterKnown({ vip: rack.vip }),
      rack.nodes.map((node) => machineKnown({ node, reinstalls: rack.reinstall.includes(node.name) })),
      reinstallable(rack),
      t.pkg(
        { name: [...family.packages], recommends: false, provides: provides(family) },
        { name: "packages for dnsmasq, nginx, iPXE and nmap" },
      ),
      otherServersNamed(rack, card),
      t.firewalld({
        services: ["dhcp", "http", "tftp"],
        ports: rack.dhcp === "proxy" ? ["4011/udp"] : [],
        optional: true,
      }),
      bootArtifacts({ cluster: rack }),
      lists(rack),
      programs(family, rack),
      files(rack, family.nginxUser),
      webServer(rack),
      dhcp(rack, card, inventory),
      rackNotes({ server: rack.server, lines: notesOf(rack) }),
    ];
  },
);

/** Asks the cluster, if its kubeconfig is known, whether it can do without the nodes that will be reinstalled. */
function reinstallable({ kubeconfig, nodes, reinstall, acceptLoss }: Rack): Node {
  if (kubeconfig === undefined || reinstall.length === 0) return [];
  const machines = nodes.map(({ name, address }) => ({ name, address }));
  return mayReinstall({ kubeconfig, nodes: machines, reinstall, acceptLoss });
}

/** Returns the interface that has this address. */
export function cardWith(address: string, { addresses }: HostFacts): string | undefined {
  return Object.entries(addresses).find(([, all]) => all.some((one) => one.split("/")[0] === address))?.[0];
}

/** The facts that the packages' scripts may change, so check mode does not predict them. */
const provides = ({ ipxe }: BootFamily): string[] => [
  `file:${ipxe.bios}`,
  `file:${ipxe.uefi}`,
  "file:/etc/nginx/**",
  "file:/etc/dnsmasq.d-available",
];

/** The release's own description and list of digests, for which there is no digest. */
function lists({ version, mirror, artifacts }: Rack): Node {
  if (artifacts !== undefined) return [];
  const folder = (mirror ?? releaseServer).replaceAll("{version}", version).replace(/\/$/, "");
  const { checksums } = artifactsBelow(mirror ?? releaseServer, version);
  return [
    { url: `${folder}/version.yaml`, name: `harvester-${version}-version.yaml` },
    { url: checksums, name: `harvester-${version}-amd64.sha512` },
  ].map(({ url, name }) =>
    t.download({ url, path: `${documentRoot}/${name}`, checksum: "none", mode: "0644" }, { name: `download ${name}` }),
  );
}

/**
 * iPXE, for firmware that loads it over TFTP or HTTP. dnsmasq looks for a client's files in the directory named after
 * its MAC address, once that directory exists: the report of an installed node creates it, so the node no longer finds
 * any files, and its firmware tries the next device.
 */
function programs({ ipxe }: BootFamily, { nodes }: Rack): Node {
  const type = "tftpdir_t";
  return [
    t.file({ path: tftpRoot, state: "directory", mode: "0755", parents: true }),
    labelled({ path: tftpRoot, type }),
    [
      { from: ipxe.bios, to: `${tftpRoot}/${biosProgram}` },
      { from: ipxe.uefi, to: `${tftpRoot}/${bootProgramName}` },
    ].map(({ from, to }) => [bootProgram({ from, to }), labelled({ path: to, type })]),
    bootProgram({ from: ipxe.uefi, to: `${documentRoot}/${bootProgramName}` }),
    nodes.map((node) => t.file({ ...cardLink(node), state: "link" })),
  ];
}

/** The nodes' scripts and configurations. The configurations contain the token and the password. */
function files(rack: Rack, user: string): Node {
  const own = { mode: "0640", owner: "root", group: user };
  const at = (node: RackNode, suffix: ".ipxe" | ".yaml" | ".join.yaml"): string =>
    `${documentRoot}${filePath(node, suffix)}`;
  return [
    t.file({ path: `${documentRoot}${diskScriptPath}`, content: diskScript, mode: "0644" }),
    t.file({ path: nodesFolder, state: "directory", mode: "0750", owner: "root", group: user }),
    rack.nodes.map((node, place) => [
      t.file({ path: at(node, ".ipxe"), content: nodeScript(rack, node), ...own }),
      t.file({ path: at(node, ".yaml"), content: renderConfig(rackConfig(rack, node, false)), ...own }),
      place === 0 &&
        t.file({ path: at(node, ".join.yaml"), content: renderConfig(rackConfig(rack, node, true)), ...own }),
    ]),
    ["", "/installed", "/created"].map((part) => [
      t.file({ path: `${reportsFolder}${part}`, state: "directory", mode: "0755", owner: user, group: user }),
      labelled({ path: `${reportsFolder}${part}`, type: "httpd_sys_rw_content_t" }),
    ]),
    rack.nodes
      .filter(({ name }) => rack.reinstall.includes(name))
      .map((node) =>
        t.file(
          { path: `${reportsFolder}${installedFolder(node)}`, state: "absent", recursive: true },
          { name: `reinstall ${node.name} at its next boot from the network` },
        ),
      ),
  ];
}

function webServer(rack: Rack): Node {
  const site = t.file({ path: "/etc/nginx/conf.d/furrow-pxe.conf", content: nginxSite(rack), mode: "0644" });
  const dropIn = t.systemdUnit({
    name: "nginx",
    dropIn: "furrow-pxe",
    // nginx binds the rack's address, which comes up late on a slow network.
    sections: {
      Unit: { Wants: "network-online.target", After: "network-online.target" },
      Service: { Restart: "on-failure", RestartSec: 5 },
    },
  });
  return [
    site,
    dropIn,
    // A restart would abort the nodes' downloads.
    t.service({ name: "nginx", state: "started", enabled: true, reloadOn: [site] }),
    t.httpWait(
      {
        url: `${serverUrl(rack)}${diskScriptPath}`,
        from: "host",
        body: diskScript,
        intervalSeconds: 1,
        deadlineSeconds: 30,
      },
      { name: `nginx serves the rack at ${serverUrl(rack)}` },
    ),
  ];
}

/** The DHCP server comes last: as soon as it starts, machines boot. */
function dhcp(rack: Rack, card: string, inventory: Readonly<Record<string, string>>): Node {
  const config = t.dhcpServer(dhcpParams(rack, card, inventory));
  const command = `/usr/sbin/dnsmasq --keep-in-foreground --pid-file=/run/dnsmasq-pxe.pid --conf-file=${dhcpFolder}/furrow-pxe.conf`;
  const unit = t.systemdUnit({
    name: dhcpUnit,
    sections: {
      Unit: {
        Description: "DHCP and TFTP for a rack",
        Wants: "network-online.target",
        After: "network-online.target nginx.service",
      },
      Service: { ExecStart: command, Restart: "on-failure", RestartSec: 5 },
      Install: { WantedBy: "multi-user.target" },
    },
  });
  const rotated = `${dhcpLog} {\n  weekly\n  rotate 4\n  missingok\n  notifempty\n  copytruncate\n}\n`;
  return [
    t.file({ path: dhcpFolder, state: "directory", mode: "0755" }),
    t.file({ path: "/etc/logrotate.d", state: "directory", mode: "0755" }),
    t.file({ path: "/etc/logrotate.d/furrow-pxe", content: rotated, mode: "0644" }),
    config,
    unit,
    t.service({ name: dhcpUnit, state: "started", enabled: true, restartOn: [config, unit] }),
  ];
}
