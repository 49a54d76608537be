import type { ApiServer } from "../server/api-server.ts";
import { type Actor, patch, read } from "../actors.ts";

interface Settings {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly value?: string;
  }[];
}

/**
 * Harvester's settings: for each new value, a condition and a hash of the value are written in one update
 * (pkg/controller/master/setting/handler.go). A value that contains `broken` cannot be used.
 */
export const settingsController: Actor = settingsControllerWith(() => {});

/** The same, with an additional effect of each new value, such as a certificate that the ingress then presents. */
export function settingsControllerWith(take: (name: string, value: string) => void): Actor {
  return (server, done) => {
    const { items } = read(server, "settings.harvesterhci.io") as Settings;
    for (const { metadata, value = "" } of items) {
      const seen = `${metadata.name} ${value}`;
      if (value === "" || done.has(seen)) continue;
      // A setting may return to an earlier value.
      for (const old of done) if (old.startsWith(`${metadata.name} `)) done.delete(old);
      done.add(seen);
      take(metadata.name, value);
      const isBroken = value.includes("broken");
      const lastUpdateTime = `${new Date().toISOString().slice(0, 19)}Z`;
      const report = isBroken ? { status: "False", message: "unexpected end of JSON input" } : { status: "True" };
      patch(server, "settings.harvesterhci.io", metadata.name, {
        metadata: { annotations: { "harvesterhci.io/hash": String(value.length) } },
        status: { conditions: [{ type: "configured", lastUpdateTime, ...report }] },
      });
    }
  };
}

interface Nodes {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  }[];
}

const info = "harvesterhci.io/rke2-cert-info";
const state = "harvesterhci.io/rke2-cert-rotation-state";

/**
 * Harvester's rotation of certificates (pkg/controller/master/setting/auto_rotate_rke2_certs.go, v1.9): while a
 * rotation is due, it renews the certificates of one node after another, and then reports that it has finished.
 */
export const certificateRotation: Actor = (server) => {
  const setting = read(server, "settings.harvesterhci.io", "auto-rotate-rke2-certs") as { value?: string };
  const { enable = false, expiringInHours = 0 } = JSON.parse(setting.value ?? "{}") as {
    enable?: boolean;
    expiringInHours?: number;
  };
  if (!enable) return;
  const due = new Date(Date.now() + expiringInHours * 3_600_000).toISOString();
  const { items } = read(server, "nodes") as Nodes;
  const ends = (text = "{}"): string => (JSON.parse(text) as { closestExpiryTime?: string }).closestExpiryTime ?? due;
  const late = items.find(({ metadata }) => ends(metadata.annotations?.[info]) < due);
  const say = (phase: string, currentNode = ""): void =>
    patch(server, "settings.harvesterhci.io", "auto-rotate-rke2-certs", {
      metadata: { annotations: { [state]: JSON.stringify({ generation: 1, phase, currentNode }) } },
    });
  if (late === undefined) return say("completed");
  say("cp-rotation", late.metadata.name);
  const closestExpiryTime = new Date(Date.now() + 365 * 86_400_000).toISOString();
  patch(server, "node", late.metadata.name, {
    metadata: { annotations: { [info]: JSON.stringify({ closestExpiryTime, updatedAt: new Date().toISOString() }) } },
  });
};

/** A Harvester setting without a value. */
export function emptySetting(name: string): object {
  return { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting", metadata: { name }, default: "{}" };
}

/** Changes the cluster's virtual address. */
export function patchVip(server: ApiServer, ip: string): void {
  const change = JSON.stringify({ data: { ip } });
  server.kubectl(["patch", "configmap", "vip", "--namespace=harvester-system", "--type=merge", `--patch=${change}`]);
}

/** Gives a node an address and a pod subnet. */
export function addressNode(server: ApiServer, name: string, address: string, podCIDR: string): void {
  patch(server, "node", name, { spec: { podCIDR, podCIDRs: [podCIDR] } });
  const { status, ...node } = read(server, "node", name) as { status: object };
  const addresses = [{ type: "InternalIP", address }];
  server.kubectl(
    ["replace", "--raw", `/api/v1/nodes/${name}/status`, "--filename=-"],
    JSON.stringify({ ...node, status: { ...status, addresses } }),
  );
}
