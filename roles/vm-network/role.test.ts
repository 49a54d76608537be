import { expect, test } from "vitest";
import { clusterSchema } from "../cluster/cluster.ts";
import { clusterNodes } from "../cluster/nodes.ts";
import { daemonDropIn } from "./role.ts";

test("lets libvirt start only with the password of the nodes' screens and, at boot, after the data disks are mounted", () => {
  const cluster = clusterSchema.parse({
    nodes: 3,
    disks: ["/dev/a", "/dev/b", "/dev/c"],
    extraDisks: [{ node: 2, device: "/dev/d" }],
    token: "t",
    password: "p",
  });
  expect(daemonDropIn(clusterNodes(cluster))).toBe(String.raw`[Unit]
After=mnt-datadisk1.mount
After=mnt-datadisk2.mount
After=mnt-datadisk2\x2d2.mount
After=mnt-datadisk3.mount

[Service]
ExecStartPre=/usr/local/sbin/furrow-vnc-password
`);
});
