import { type HostFacts, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { type Cluster, clusterNodes, documentRoot } from "../cluster/cluster.ts";
import { bootScript, nginxConf, nginxDropIn, nodeConfig, nodeFile, nodeScript } from "./templates.ts";

/** Where the distributions' packages put iPXE for UEFI: `ipxe` of Debian, `ipxe-bootimgs` of SUSE. */
const debianIpxe = "/usr/lib/ipxe/ipxe.efi";
const suseIpxe = "/usr/share/ipxe/ipxe-x86_64.efi";

/** Serves the boot artifacts, and to each node its own boot script and configuration. */
export const bootServer = role(
  {
    name: "boot server",
    summary: "Serve what nodes boot, each its own script and configuration, on their network only",
    params: z.strictObject({ cluster: z.custom<Cluster>(), facts: z.custom<HostFacts>() }),
  },
  ({ cluster, facts }) => {
    const suse = facts.os.like.includes("suse");
    const user = suse ? "nginx" : "www-data";
    const folder = `${documentRoot}/nodes`;
    const conf = t.file({
      path: "/etc/nginx/nginx.conf",
      content: nginxConf(cluster, user),
      mode: "0644",
      owner: "root",
      group: "root",
    });
    const dropIns = "/etc/systemd/system/nginx.service.d";
    return [
      conf,
      t.file({ path: dropIns, state: "directory", mode: "0755" }),
      t.file({ path: `${dropIns}/furrow.conf`, content: nginxDropIn, mode: "0644" }),
      t.file({ path: `${documentRoot}/boot.ipxe`, content: bootScript(cluster), mode: "0644" }),
      // UEFI firmware loads iPXE by TFTP from the same folder.
      cluster.firmware === "uefi" &&
        t.file({ path: `${documentRoot}/ipxe.efi`, state: "link", target: suse ? suseIpxe : debianIpxe }),
      // Configurations hold the token and the password: nginx may read them, other users of the host may not.
      t.file({ path: folder, state: "directory", mode: "0750", owner: "root", group: user }),
      clusterNodes(cluster).map((node) => [
        t.file({
          path: `${folder}/${nodeFile(node, ".ipxe")}`,
          content: nodeScript(cluster, node),
          mode: "0640",
          owner: "root",
          group: user,
        }),
        t.file({
          path: `${folder}/${nodeFile(node, ".yaml")}`,
          content: nodeConfig(cluster, node),
          mode: "0640",
          owner: "root",
          group: user,
        }),
      ]),
      t.service({ name: "nginx", state: "started", enabled: true, restartOn: [conf] }),
    ];
  },
);
