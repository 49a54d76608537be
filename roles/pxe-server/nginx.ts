import { bootLog, bootProgramName, documentRoot, eventFolder } from "../cluster/nodes.ts";
import { diskScriptPath, filePath, reportFolder, reportPath } from "./boot-files.ts";
import { reportsFolder } from "./places.ts";
import type { Rack, RackNode } from "./rack-fields.ts";

/**
 * nginx's configuration for a rack, next to the sites that the host may have: it serves one directory on the rack's
 * address, without listings. A node's script and configuration go to the node's address alone.
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
${firstFile(rack)}${rack.nodes.map((node) => nodeLocations(node, rack)).join("")}}
`;
}

/** The first file of firmware that boots by HTTP; an installed node gets none, so its firmware tries the next device. */
function firstFile({ nodes }: Rack): string {
  const owners = nodes.map((node) => {
    const [, , folder = ""] = reportFolder(node, "installed").split("/");
    return `    if ($remote_addr = ${node.address}) { set $furrow_node ${folder}; }\n`;
  });
  return `  location = /${bootProgramName} {
    set $furrow_node none;
${owners.join("")}    if (-d ${reportsFolder}/installed/$furrow_node) { return 404; }
  }
`;
}

/**
 * What one node may read and write. While its report exists, its script is the one that starts the disk: a machine that
 * asks the network first would otherwise be installed at every start. Once the cluster exists, the first node joins it:
 * with its own configuration, it would create a second one.
 */
function nodeLocations(node: RackNode, rack: Rack): string {
  const only = `allow ${node.address}; deny all;`;
  const isFirst = node === rack.nodes[0];
  const reports = isFirst ? (["installed", "created"] as const) : (["installed"] as const);
  const instead = (report: "installed" | "created", path: string): string =>
    `    if (-f ${reportsFolder}${reportPath(node, report)}) { rewrite ^ ${path} last; }\n`;
  const joins = filePath(node, ".join.yaml");
  return [
    `  location = ${filePath(node, ".ipxe")} {\n${instead("installed", diskScriptPath)}    ${only}\n  }\n`,
    `  location = ${filePath(node, ".yaml")} {\n${isFirst ? instead("created", joins) : ""}    ${only}\n  }\n`,
    ...(isFirst ? [`  location = ${joins} { ${only} }\n`] : []),
    ...reports.map(
      (report) => `  location = ${reportPath(node, report)} {
    root ${reportsFolder};
    dav_methods PUT;
    create_full_put_path on;
    dav_access user:rw group:r all:r;
    client_max_body_size 1k;
    limit_except PUT { deny all; }
    ${only}
  }
`,
    ),
  ].join("");
}
