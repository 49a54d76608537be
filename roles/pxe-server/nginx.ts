import { bootLog, bootProgramName, documentRoot, eventFolder } from "../cluster/nodes.ts";
import { createdReport, diskScriptPath, filePath, installedReport } from "./boot-files.ts";
import { reportsFolder } from "./places.ts";
import type { Rack, RackNode } from "./rack-fields.ts";

/**
 * nginx's configuration for a rack, in addition to other sites that the host may serve. nginx serves one directory on
 * the rack's address, without directory listings. Only the node's own address gets its script and configuration.
 */
export function nginxSite(rack: Rack): string {
  return `# Written by furrow: changes here are lost.
log_format furrow_nodes '$remote_addr $status $body_bytes_sent $request_uri $msec';

server {
  listen ${rack.server}:80 default_server;
  server_name _;
  root ${documentRoot};
  autoindex off;
  server_tokens off;
  access_log ${bootLog} furrow_nodes;
  location ~ /\\. { deny all; }
  location /nodes/ { deny all; }
  location ${eventFolder} { return 204; }
${firstFile(rack)}${reportLocation(createdReport, rack.nodes)}${rack.nodes.map((node) => nodeLocations(node, rack)).join("")}}
`;
}

/**
 * The first file that firmware loads when it boots over HTTP; an installed node does not get it, so its firmware tries
 * the next device.
 */
function firstFile({ nodes }: Rack): string {
  const owners = nodes.map(({ address, name }) => `    if ($remote_addr = ${address}) { set $furrow_node ${name}; }\n`);
  // A node's name contains no dot, so .none is not a node.
  return `  location = /${bootProgramName} {
    set $furrow_node .none;
${owners.join("")}    if (-d ${reportsFolder}/installed/$furrow_node) { return 404; }
  }
`;
}

/**
 * What one node may read and write. While its report exists, its script is the one that boots from the disk: a machine
 * that boots from the network first would otherwise be reinstalled at every boot. Once the cluster exists, the first
 * node joins it: with its own configuration, it would create a second cluster.
 */
function nodeLocations(node: RackNode, rack: Rack): string {
  const only = onlyFor([node]);
  const isFirst = node === rack.nodes[0];
  const instead = (report: string, path: string): string =>
    `    if (-f ${reportsFolder}${report}) { rewrite ^ ${path} last; }\n`;
  const joins = filePath(node, ".join.yaml");
  return [
    `  location = ${filePath(node, ".ipxe")} {\n${instead(installedReport(node), diskScriptPath)}    ${only}\n  }\n`,
    `  location = ${filePath(node, ".yaml")} {\n${isFirst ? instead(createdReport, joins) : ""}    ${only}\n  }\n`,
    ...(isFirst ? [`  location = ${joins} { ${only} }\n`] : []),
    reportLocation(installedReport(node), [node]),
  ].join("");
}

/**
 * Where these nodes may write a report. All nodes may report that the cluster exists: by the time the node that creates
 * it has finished, the vars may name a different first node.
 */
function reportLocation(path: string, nodes: readonly RackNode[]): string {
  return `  location = ${path} {
    root ${reportsFolder};
    dav_methods PUT;
    create_full_put_path on;
    dav_access user:rw group:r all:r;
    client_max_body_size 1k;
    limit_except PUT { deny all; }
    ${onlyFor(nodes)}
  }
`;
}

function onlyFor(nodes: readonly RackNode[]): string {
  return `${nodes.map(({ address }) => `allow ${address}; `).join("")}deny all;`;
}
