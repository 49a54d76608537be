import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HostEntry } from "../../core/inventory/inventory-entries.ts";
import { secretOf } from "../../core/secrets/secret.ts";
import { addressOf, becomeOf, type SshSettings } from "./address.ts";
import { stateFolder } from "../state/state-folder.ts";
import { mergeHosts } from "../vars/precedence.ts";

const password = secretOf("hunter2", "pw");
const definition = {
  user: "deploy",
  hosts: {
    web1: { address: "192.0.2.7", port: 2222, identityFile: "~/keys/web" },
    web2: { proxyJump: "bastion" },
    web3: { proxyJump: "ops@bastion:2200,inner.example" },
    web4: { proxyJump: "none" },
    bastion: { address: "198.51.100.1", user: "jumper", proxyJump: "edge" },
    edge: { become: { method: "su" as const, password } },
    round: { proxyJump: "bend" },
    bend: { proxyJump: "round" },
    here: { transport: "local" as const },
    keyed: { identityFile: ["generated:node key"] },
    certified: { transport: "openssh" as const, address: "web2", port: 2200, matchExec: true },
  },
};
const config: Record<string, SshSettings> = {
  web2: { user: "from-config", port: 2022, address: "web2.internal" },
  web4: { proxyJump: "bastion", hostKeyPolicy: "accept-new" },
};
const hosts = new Map(mergeHosts(definition).map((host) => [host.name, host]));
const book = { hosts, sshConfig: (name: string) => config[name] ?? {} };
const of = (name: string): ReturnType<typeof addressOf> => addressOf(hosts.get(name)!, book);

describe("addressOf", () => {
  it("prefers the inventory over ssh_config, and ssh_config over the defaults", () => {
    expect(of("web1")).toMatchObject({ address: "192.0.2.7", port: 2222, user: "deploy", hostKeyPolicy: "strict" });
    expect(of("web1").identityFiles[0]).toMatch(/^\/.*\/keys\/web$/);
    expect(of("web2")).toMatchObject({ address: "web2.internal", port: 2022, user: "deploy" });
    expect(of("web4")).toMatchObject({ hostKeyPolicy: "accept-new", jump: [] });
    expect(of("edge")).toMatchObject({ address: "edge", port: 22, connectTimeoutSeconds: 30, keepaliveSeconds: 15 });
  });

  it.each<[HostEntry, SshSettings, string | undefined]>([
    [{}, {}, join(homedir(), ".ssh/known_hosts")],
    [{}, { knownHostsFiles: ["/g"] }, undefined],
    [{}, { knownHostsFiles: ["/u", "/g"], newHostKeysFile: "/u" }, "/u"],
    [{ knownHostsFile: ["~/own", "/more"] }, {}, join(homedir(), "own")],
    [{ knownHostsFile: "none" }, {}, undefined],
    [{ knownHostsFile: ["/dev/null"] }, {}, undefined],
  ])("adds new host keys only to a file of the user: %j, %j", (host, ssh, file) => {
    const [merged] = mergeHosts({ hosts: { web1: host } });
    expect(addressOf(merged!, { hosts: new Map(), sshConfig: () => ssh }).newHostKeysFile).toBe(file);
  });

  it("reads every known_hosts file that ssh reads by default, and RevokedHostKeys", () => {
    const [merged] = mergeHosts({ hosts: { web1: {} } });
    const address = addressOf(merged!, { hosts: new Map(), sshConfig: () => ({ revokedKeysFile: "/revoked" }) });
    expect(address.knownHostsFiles).toEqual([
      join(homedir(), ".ssh/known_hosts"),
      join(homedir(), ".ssh/known_hosts2"),
      "/etc/ssh/ssh_known_hosts",
      "/etc/ssh/ssh_known_hosts2",
    ]);
    expect(address.revokedKeysFile).toBe("/revoked");
  });

  it("finds a generated key in furrow's state folder, and offers it before the usual keys", () => {
    const [first, ...others] = of("keyed").identityFiles;
    expect(first).toBe(join(stateFolder(), "generated/node%20key"));
    expect(others).toEqual(of("edge").identityFiles);
  });

  it("uses the inventory's jump hosts, nearest first", () => {
    expect(of("web2").jump.map(({ user, address, port }) => `${user}@${address}:${port}`)).toEqual([
      "deploy@edge:22",
      "jumper@198.51.100.1:22",
    ]);
    expect(of("web3").jump.map(({ user, address, port }) => `${user}@${address}:${port}`)).toEqual([
      "deploy@edge:22",
      "ops@198.51.100.1:2200",
      expect.stringMatching(/^[^@]+@inner\.example:22$/),
    ]);
  });

  describe("with a tunnel", () => {
    const through = (
      host: HostEntry,
      ssh: SshSettings = {},
      others: Record<string, HostEntry> = {},
    ): ReturnType<typeof addressOf> => {
      const merged = mergeHosts({ hosts: { web1: host, ...others } });
      const hosts = new Map(merged.map((one) => [one.name, one]));
      return addressOf(hosts.get("web1")!, { hosts, sshConfig: () => ssh });
    };
    const ssm = { sessionManager: { region: "eu-central-1" } };
    const iap = { iap: { project: "lab", zone: "europe-west3-a" } };
    const id = "i-0123456789abcdef0";

    it("takes the instance from the tunnel or from the address, and lists the host key under the instance's name", () => {
      expect(through({ address: id, tunnel: ssm })).toMatchObject({
        tunnel: { through: "sessionManager", instance: id, region: "eu-central-1" },
        hostKeyAlias: id,
      });
      expect(through({ tunnel: iap })).toMatchObject({
        tunnel: { through: "iap", instance: "web1", project: "lab", zone: "europe-west3-a" },
        hostKeyAlias: "web1.europe-west3-a.c.lab.internal",
      });
      const named = { iap: { ...iap.iap, instance: "other" } };
      expect(through({ address: "10.0.0.7", tunnel: named })).toMatchObject({
        address: "10.0.0.7",
        tunnel: { instance: "other" },
      });
    });

    it("prefers the tunnel to a jump host or command in ssh_config", () => {
      const found = through({ address: id, tunnel: ssm }, { proxyJump: "bastion", proxyCommand: "nc %h %p" });
      expect(found.jump).toEqual([]);
      expect(found).not.toHaveProperty("proxyCommand");
      const without = through({ tunnel: "none" }, { proxyCommand: "nc %h %p" });
      expect(without).toMatchObject({ proxyCommand: "nc %h %p" });
      expect(without).not.toHaveProperty("tunnel");
    });

    it("uses the tunnel of a jump host only to reach the jump host", () => {
      const { jump, ...rest } = through({ proxyJump: "gate" }, {}, { gate: { address: id, tunnel: ssm } });
      expect(jump).toMatchObject([{ tunnel: { instance: id } }]);
      expect(rest).not.toHaveProperty("tunnel");
    });

    it.each<[what: string, host: HostEntry]>([
      ["no instance id", { address: "10.0.0.7", tunnel: ssm }],
      ["no instance name", { address: "10.0.0.7", tunnel: iap }],
      ["a tunnel and a jump host", { address: id, tunnel: ssm, proxyJump: "gate" }],
      ['the transport "openssh" does not open', { address: id, tunnel: ssm, transport: "openssh" }],
    ])("is refused: %s", (what, host) => {
      expect(() => through(host)).toThrow(expect.objectContaining({ code: "E_INVENTORY" }));
      expect(() => through(host)).toThrow(what);
    });
  });

  it("refuses jump hosts that form a loop", () => {
    expect(() => of("round")).toThrow(expect.objectContaining({ code: "E_INVENTORY" }) as Error);
  });

  it("passes only inventory settings to ssh, and uses them for the lookup in ssh_config", () => {
    const asked: unknown[] = [];
    const sshConfig = (name: string, more: unknown): SshSettings => {
      asked.push([name, more]);
      return config[name] ?? {};
    };
    expect(addressOf(hosts.get("certified")!, { hosts, sshConfig })).toMatchObject({
      transport: "openssh",
      address: "web2.internal",
      port: 2200,
      asked: { name: "web2", said: new Set(["port", "user"]) },
    });
    expect(asked).toEqual([["web2", { user: "deploy", port: 2200, matchExec: true }]]);
    expect(of("web2")).not.toHaveProperty("asked");
  });

  it("supports the local controller", () => {
    expect(of("here")).toMatchObject({ transport: "local", address: "localhost", jump: [] });
  });
});

describe("becomeOf", () => {
  it("lets the play override the host's settings", () => {
    const { connection } = hosts.get("edge")!;
    expect(becomeOf(connection, undefined)).toBeUndefined();
    expect(becomeOf(connection, {})).toEqual({ method: "su", user: "root", password });
    expect(becomeOf(connection, { method: "sudo", user: "app" })).toEqual({ method: "sudo", user: "app", password });
  });
});
