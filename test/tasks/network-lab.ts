import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Lab, labDown, type LabHost, labUp, runInHost } from "../../src/lab/index.ts";
import { type Controller, type Event, startFurrow } from "../torture/controller.ts";

/** Debian's tools that configure a network. */
export const labRenderers = ["networkd", "ifupdown", "NetworkManager", "netplan"] as const;

/** A lab host whose network one of these tools configures. */
export interface NetworkHost {
  readonly renderer: (typeof labRenderers)[number];
  readonly lab: LabHost;
  readonly name: string;
  readonly address: string;
  readonly gateway: string;
  /** The address of another host of the lab, which no test changes. */
  readonly peer: string;
  /** The first three octets of all addresses in the lab. */
  readonly prefix: string;
}

/** The result of a host's last task. */
export interface HostEnd {
  readonly outcome: string;
  readonly code: string | undefined;
  readonly details: string;
}

/** A lab with one host for each tool, and one more host. */
export class NetworkLab {
  readonly hosts: readonly NetworkHost[];
  readonly #lab: Lab;
  readonly #folder: string;

  private constructor(lab: Lab, hosts: readonly NetworkHost[]) {
    this.#lab = lab;
    this.hosts = hosts;
    this.#folder = mkdtempSync(join(tmpdir(), "furrow-network-"));
    symlinkSync(join(import.meta.dirname, "..", "..", "node_modules"), join(this.#folder, "node_modules"));
    const entry = {
      user: "root",
      identityFile: lab.identityFile,
      knownHostsFile: lab.knownHostsFile,
      connectTimeoutSeconds: 5,
    };
    const entries = Object.fromEntries(hosts.map(({ name, address }) => [name, { address, ...entry }]));
    writeFileSync(
      join(this.#folder, "inventory.ts"),
      `import { inventory } from "furrow";\nexport default inventory({ hosts: ${JSON.stringify(entries)} } as never);\n`,
    );
  }

  /** Starts the lab. Each host has been booted with the configuration in its tool's own files. */
  static async up(name: string): Promise<NetworkLab> {
    const lab = await labUp({ name, hosts: labRenderers.length + 1, replace: true });
    const prefix = lab.gateway.split(".").slice(0, 3).join(".");
    const peer = lab.hosts.at(-1)?.address ?? "";
    const hosts = lab.hosts.slice(0, -1).map((host, at): NetworkHost => ({
      renderer: labRenderers[at] ?? "networkd",
      lab: host,
      name: host.name,
      address: host.address,
      gateway: lab.gateway,
      peer,
      prefix,
    }));
    const network = new NetworkLab(lab, hosts);
    for (const host of hosts) await runInHost(host.lab, ["sh", "-ec", preparations[host.renderer](host)]);
    await Promise.all(hosts.map((host) => network.reboot(host)));
    return network;
  }

  async down(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    await labDown({ name: this.#lab.name });
  }

  /** Reboots a host from inside, and waits until it answers over SSH. */
  async reboot(host: NetworkHost): Promise<void> {
    const bootId = async (): Promise<string> =>
      (await this.ssh(host, "cat /proc/sys/kernel/random/boot_id").catch(() => "")).trim();
    const before = (await runInHost(host.lab, ["cat", "/proc/1/stat"])).stdout.split(" ")[21];
    await runInHost(host.lab, ["systemctl", "reboot"], { allowFailure: true });
    for (let tries = 0; tries < 120; tries += 1) {
      const now = await runInHost(host.lab, ["cat", "/proc/1/stat"], { allowFailure: true }).catch(() => undefined);
      const isNew = now?.code === 0 && now.stdout.split(" ")[21] !== before;
      if (isNew && (await bootId()) !== "") return;
      await sleep(500);
    }
    throw new Error(`${host.name} does not answer after its reboot`);
  }

  /** Runs a script over a new connection, with the system's own ssh. */
  ssh(host: NetworkHost, script: string): Promise<string> {
    const { identityFile, knownHostsFile } = this.#lab;
    const options = ["BatchMode=yes", "ConnectTimeout=3", `UserKnownHostsFile=${knownHostsFile}`].flatMap((one) => [
      "-o",
      one,
    ]);
    return new Promise((resolve, reject) => {
      execFile(
        "ssh",
        [...options, "-i", identityFile, `root@${host.address}`, script],
        { timeout: 15_000 },
        (error, out) => {
          if (error) reject(new Error(`${host.name}: ${script}`, { cause: error }));
          else resolve(out);
        },
      ).stdin?.end();
    });
  }

  /** Waits until a host answers over SSH; throws after this many seconds. */
  async answers(host: NetworkHost, seconds: number): Promise<void> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      try {
        await this.ssh(host, "true");
        return;
      } catch (error) {
        if (Date.now() > end) throw new Error(`${host.name} (${host.renderer}) does not answer`, { cause: error });
        await sleep(500);
      }
    }
  }

  /** A host's addresses, routes, bridges and network files, and what an undo leaves behind, as text to compare. */
  state(host: NetworkHost): Promise<string> {
    return this.ssh(
      host,
      `ip -o -4 addr show | awk '{ print $2, $4 }'; ip -4 route show; ip -br link show | awk '{ sub(/@.*/, "", $1); print $1 }'
cat /sys/class/net/*/mtu
cd /etc && find systemd/network network NetworkManager/system-connections netplan -type f 2>/dev/null | sort | xargs sha256sum
ls /etc/systemd/system | grep furrow-undo; systemctl list-timers --all --no-legend | grep furrow-undo; ls /var/lib/furrow/undo 2>/dev/null | grep armed; true`,
    );
  }

  /** Starts furrow with one `networkInterface` task for each of these hosts. */
  start(
    verb: "run" | "check",
    hosts: readonly NetworkHost[],
    paramsOf: (host: NetworkHost) => object,
    ...flags: readonly string[]
  ): Controller {
    const params = JSON.stringify(Object.fromEntries(hosts.map((host) => [host.name, paramsOf(host)])));
    writeFileSync(
      join(this.#folder, "play.ts"),
      `import { playbook } from "furrow";
import { networkInterface } from "furrow/tasks";
const params = ${params} as unknown as Record<string, never>;
export default playbook({ name: "Network", plays: [{ hosts: "all", tasks: ({ host }) => [networkInterface(params[host.name] as never)] }] });
`,
    );
    const limit = hosts.map(({ name }) => name).join(",");
    return startFurrow(this.#folder, verb, "play.ts", "-i", "inventory.ts", "--limit", limit, ...flags);
  }

  /** Runs furrow to its end. Returns the result of each host's task. */
  async ends(
    verb: "run" | "check",
    hosts: readonly NetworkHost[],
    paramsOf: (host: NetworkHost) => object,
    ...flags: readonly string[]
  ): Promise<Record<string, HostEnd>> {
    const { events, text } = await this.start(verb, hosts, paramsOf, ...flags).ended;
    const ends = Object.fromEntries(
      events.filter(({ type }) => type === "taskFinished").map((event) => [String(event["host"]), endOf(event)]),
    );
    if (Object.keys(ends).length < hosts.length) throw new Error(`furrow ended early: ${text}`);
    return ends;
  }
}

function endOf(event: Event): HostEnd {
  const error = event["error"] as { code?: string; details?: readonly string[]; current?: string } | undefined;
  return {
    outcome: String(event["outcome"]),
    code: error?.code,
    details: [error?.current, ...(error?.details ?? [])].filter(Boolean).join("; "),
  };
}

const install = (name: string): string =>
  `export DEBIAN_FRONTEND=noninteractive; apt-get -qq update >/dev/null; apt-get -qq install -y --no-install-recommends ${name} >/dev/null 2>&1`;
const withoutNetworkd =
  "rm -f /etc/systemd/network/*; systemctl -q disable systemd-networkd.service systemd-networkd.socket 2>/dev/null; systemctl -q mask systemd-networkd.service";

/** Scripts that hand a host's network over to another tool, as images and installers configure it. */
const preparations: Readonly<Record<NetworkHost["renderer"], (host: NetworkHost) => string>> = {
  networkd: () => "true",
  ifupdown: ({ address, gateway }) => `${install("ifupdown")}
cat >/etc/network/interfaces <<E
# This file describes the network interfaces available on your system
source /etc/network/interfaces.d/*

auto lo
iface lo inet loopback

# The primary network interface
auto host0
iface host0 inet static
    address ${address}/24
    gateway ${gateway}

E
${withoutNetworkd}`,
  NetworkManager: ({ address, gateway }) => `${install("network-manager")}
cat >"/etc/NetworkManager/system-connections/Wired connection 1.nmconnection" <<E
[connection]
id=Wired connection 1
type=ethernet
interface-name=host0
[ipv4]
method=manual
address1=${address}/24,${gateway}
[ipv6]
method=disabled
E
chmod 600 /etc/NetworkManager/system-connections/*
# By default, NetworkManager does not manage the type of interface that containers have.
printf '[device-host0]\\nmatch-device=interface-name:host0\\nmanaged=1\\n' >/etc/NetworkManager/conf.d/lab.conf
${withoutNetworkd}`,
  netplan: ({ address, gateway }) => `${install("netplan.io")}
cat >/etc/netplan/50-cloud-init.yaml <<E
# As cloud-init writes it.
network:
    version: 2
    ethernets:
        host0:
            addresses:
            - ${address}/24
            routes:
            -   to: default
                via: ${gateway}
E
chmod 600 /etc/netplan/50-cloud-init.yaml
rm -f /etc/systemd/network/*`,
};
