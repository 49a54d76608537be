import { type OrRef, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { nodeKubeconfig } from "../kubeconfig/node-kubeconfig.ts";
import { configText, joinText, type Member, places, ports, unitOf } from "./config.ts";
import { nodeFits } from "./node-fits.ts";
import { kubeconfigThere, reachedCluster } from "./reached.ts";
import { architectures, releaseUrl, type Rke2 } from "./rke2.ts";
import { unitSections } from "./units.ts";

const cluster = z.strictObject({
  rke2: z.custom<Rke2>(),
  member: z.custom<Member>(),
});

/** Before anything is changed, refuses a host that cannot be a node of this cluster. Changes nothing itself. */
export const rke2Fits = role(
  {
    name: "rke2 fits",
    summary: "Refuse a host that cannot be a node of this cluster, and change nothing",
    params: cluster.extend({
      servers: z.int(),
      architecture: z.string(),
      upgrades: z.boolean().default(false),
      joins: z.boolean().default(true),
      removes: z.boolean().default(false),
      firstAuthority: z.custom<OrRef<string>>().optional(),
      unseen: z.array(z.string()).default([]),
    }),
  },
  ({ rke2, member, servers, architecture, upgrades, joins, removes, firstAuthority, unseen }) => {
    const release = t.command(
      {
        command: `if test -x ${places.program}; then ${places.program} --version; fi`,
        readOnly: true,
        reads: [`file:${places.program}`],
      },
      { name: `the installed release of RKE2 on ${member.name}` },
    );
    const built = rke2.tarballs[archOf(architecture) ?? "amd64"] !== undefined && archOf(architecture) !== undefined;
    const images =
      rke2.imageArchives === undefined || rke2.imageArchives[archOf(architecture) ?? "amd64"] !== undefined;
    return [
      t.assert({
        that: [
          {
            check: built && images,
            message: `no digest for ${architecture}, the architecture of ${member.name}`,
            hint: `Add it to ${built ? "imageArchives" : "tarballs"}: amd64 for x86_64, arm64 for aarch64`,
          },
        ],
      }),
      release,
      nodeFits({
        ...member,
        servers,
        version: rke2.version,
        token: rke2.token,
        kubeconfig: rke2.kubeconfig,
        installed: release.output.map(({ stdout }) => stdout),
        upgrades,
        joins,
        removes,
        unseen,
        ...(firstAuthority !== undefined && { firstAuthority }),
      }),
    ];
  },
);

/** Makes a host a node of an RKE2 cluster, and waits until it is Ready. */
export const rke2Node = role(
  {
    name: "rke2",
    summary: "Make a host a node of an RKE2 cluster, from a pinned tarball, and wait until it is Ready",
    params: cluster.extend({ firstAddress: z.string(), architecture: z.string() }),
  },
  ({ rke2, member, firstAddress, architecture }) => {
    const arch = archOf(architecture) ?? "amd64";
    const owned = { owner: "root", group: "root" };
    const tarball = `rke2.linux-${arch}.tar.gz`;
    const images = `rke2-images.linux-${arch}.tar.zst`;
    const server = rke2.serverAddress ?? firstAddress;
    const unpacked = t.unarchive({ archive: `${places.downloads}/${tarball}`, path: places.prefix });
    const token = t.file({ path: places.token, content: `${rke2.token}\n`, mode: "0600", ...owned });
    const config = t.file({ path: places.config, content: configText(rke2, member, server), mode: "0600", ...owned });
    const joins = t.file(
      member.first
        ? { path: places.joins, state: "absent" }
        : { path: places.joins, content: joinText(server), mode: "0600", ...owned },
    );
    return [
      // A cluster that is in use again must not be destroyed because of a record from an earlier run.
      t.file({ path: places.leaving, state: "absent" }),
      t.file({ path: places.downloads, state: "directory", mode: "0700", ...owned }),
      t.download({
        url: releaseUrl(rke2, tarball),
        path: `${places.downloads}/${tarball}`,
        checksum: rke2.tarballs[arch] ?? "",
      }),
      unpacked,
      rke2.imageArchives !== undefined && [
        t.file({ path: places.images, state: "directory", mode: "0755", ...owned }),
        t.download({
          url: releaseUrl(rke2, images),
          path: `${places.images}/${images}`,
          checksum: rke2.imageArchives[arch] ?? "",
        }),
      ],
      t.file({ path: places.folder, state: "directory", mode: "0755", ...owned }),
      t.file({ path: places.more, state: "directory", mode: "0755", ...owned }),
      token,
      config,
      joins,
      t.systemdUnit({ name: `${unitOf(member.kind)}.service`, sections: unitSections(member.kind) }),
      t.service({
        name: unitOf(member.kind),
        state: "started",
        enabled: true,
        restartOn: [unpacked, token, config, joins],
      }),
      nodeReady({ rke2, member, firstAddress }),
    ];
  },
);

/**
 * Waits until a node is Ready with the wanted release. For the first server, also stores the kubeconfig on the
 * controller.
 */
export const nodeReady = role(
  {
    name: "node ready",
    summary: "Wait until a node is Ready with the requested release of RKE2",
    params: cluster.extend({ firstAddress: z.string() }),
  },
  ({ rke2, member, firstAddress }) => {
    const reached = reachedCluster({ kubeconfig: rke2.kubeconfig });
    const node = {
      kubeconfig: reached.output,
      apiVersion: "v1",
      kind: "Node",
      name: member.name,
      deadlineSeconds: rke2.readySeconds,
    };
    return [
      member.kind === "server" && [
        t.waitFor({ path: places.kubeconfig, deadlineSeconds: rke2.readySeconds }),
        t.waitFor({ port: ports.join, deadlineSeconds: rke2.readySeconds }),
        t.waitFor({ port: ports.api, deadlineSeconds: rke2.readySeconds }),
      ],
      member.first && nodeKubeconfig({ to: rke2.kubeconfig, publicAddress: firstAddress, awaited: true }),
      kubeconfigThere({ kubeconfig: rke2.kubeconfig }),
      reached,
      t.kubeWait({ ...node, condition: "Ready" }),
      t.kubeWait(
        { ...node, field: "status.nodeInfo.kubeletVersion", value: rke2.version },
        { name: `Node ${member.name} runs ${rke2.version}` },
      ),
    ];
  },
);

function archOf(architecture: string): "amd64" | "arm64" | undefined {
  return (architectures as Readonly<Record<string, "amd64" | "arm64">>)[architecture];
}
