import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { addressOf } from "../../../test/transport/sshd.ts";
import type { Address } from "../../core/host/transport.ts";
import { channelArguments, masterArguments } from "./arguments.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-openssh-"));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const hasSsh = spawnSync("ssh", ["-V"]).status === 0;
if (!hasSsh) process.stderr.write("skipped without openssh-client: how ssh reads its arguments\n");

function address(said: readonly string[], more: Partial<Address> = {}): Address {
  return addressOf(2222, { transport: "openssh", asked: { name: "web1", said: new Set(said) }, ...more });
}

/** The settings that ssh derives from arguments, by keyword. `name` replaces the last argument, the host. */
function settings(args: readonly string[], name?: string): Record<string, string[]> {
  const all = name === undefined ? args : [...args.slice(0, -1), name];
  const { stdout, stderr, status } = spawnSync("ssh", ["-GT", ...all], { encoding: "utf8" });
  expect(stderr.split("\n").filter((line) => line !== "" && !line.startsWith("debug1: "))).toEqual([]);
  expect(status).toBe(0);
  const found: Record<string, string[]> = {};
  for (const line of stdout.trim().split("\n")) {
    const [, keyword = "", value = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    (found[keyword] ??= []).push(value);
  }
  return found;
}

describe.runIf(hasSsh)("the arguments for ssh", () => {
  test("let ssh_config decide settings that are not given", () => {
    const args = masterArguments(address([], { identityFiles: ["/k"], knownHostsFiles: ["/h"] }), "/run/s", write);
    expect(args.join(" ")).not.toMatch(/2222|\/k|\/h|StrictHostKeyChecking/);
    expect(settings(args)).toMatchObject({
      hostname: ["web1"],
      batchmode: ["yes"],
      controlmaster: ["true"],
      controlpath: ["/run/s"],
      clearallforwardings: ["yes"],
    });
  });

  test("pass on inventory settings with any characters", () => {
    const odd = `/a b/%h"\\'$(x)#c`;
    const said = ["user", "port", "identityFiles", "hostKeyPolicy", "knownHostsFiles"];
    const more = { user: "some one", identityFiles: [odd], knownHostsFiles: [odd, "/second"], keepaliveSeconds: 1.5 };
    const args = masterArguments(address(said, { ...more, hostKeyPolicy: "accept-new" }), "/run/%s", write);
    expect(settings(args)).toMatchObject({
      user: ["some one"],
      port: ["2222"],
      identityfile: [odd.replace("%", "%%")],
      userknownhostsfile: [`${odd} /second`],
      stricthostkeychecking: ["accept-new"],
      serveraliveinterval: ["2"],
      serveralivecountmax: ["3"],
      controlpath: ["/run/%s"],
    });
  });

  test("make ssh read no known_hosts file if host key checks are off", () => {
    const args = masterArguments(address(["hostKeyPolicy"], { hostKeyPolicy: "off" }), "/run/s", write);
    expect(settings(args)).toMatchObject({ stricthostkeychecking: ["false"], userknownhostsfile: ["/dev/null"] });
  });

  test("override ssh_config's ProxyJump and ProxyCommand if proxyJump has the value none", () => {
    const config = write("jumps", "ProxyJump somewhere\n");
    const args = ["-F", config, ...masterArguments(address(["jump"]), "/run/s", write)];
    expect(settings(args)).not.toHaveProperty("proxyjump");
    expect(settings(args)).not.toHaveProperty("proxycommand");
  });

  test("do not let ssh add a jump host's key to a file of the system", () => {
    const hop = addressOf(22, { address: "gate", hostKeyPolicy: "accept-new", knownHostsFiles: ["/system"] });
    const args = masterArguments(address(["jump"], { jump: [hop] }), "/run/s", write);
    const of = args.slice(args.indexOf("-F"), args.indexOf("-F") + 2).concat("--", "x");
    expect(settings(of, "furrow-jump-1")).toMatchObject({
      userknownhostsfile: ["/dev/null"],
      globalknownhostsfile: ["/system"],
    });
  });

  test("give jump hosts their own names and all their inventory settings", () => {
    const hop = addressOf(2201, { address: "10.0.0.1", user: "me", identityFiles: ["/one key"], agent: "/run/agent" });
    const next = addressOf(22, {
      address: "gate.example",
      hostKeyPolicy: "strict",
      knownHostsFiles: ["/a b"],
      hostKeyAlias: "gate",
    });
    const args = masterArguments(address(["jump"], { jump: [hop, next] }), "/run/s", write);
    expect(settings(args)).toMatchObject({ hostname: ["web1"], proxyjump: ["furrow-jump-1,furrow-jump-2"] });
    const of = args.slice(args.indexOf("-F"), args.indexOf("-F") + 2).concat("--", "x");
    expect(settings(of, "furrow-jump-1")).toMatchObject({
      hostname: ["10.0.0.1"],
      port: ["2201"],
      user: ["me"],
      identityfile: ["/one key"],
      identityagent: ["/run/agent"],
      stricthostkeychecking: ["false"],
      batchmode: ["yes"],
    });
    expect(settings(of, "furrow-jump-2")).toMatchObject({
      identityfile: ["none"],
      identityagent: ["none"],
      stricthostkeychecking: ["true"],
      userknownhostsfile: ["/a b"],
      hostkeyalias: ["gate"],
    });
  });
});

test("the arguments contain a channel's command as one argument, after all options", () => {
  const args = channelArguments("/run/s", "exec sh -c 'echo $HOME; -x'", false);
  expect(args.slice(-3)).toEqual(["--", "furrow", "exec sh -c 'echo $HOME; -x'"]);
  expect(args).toContain("-T");
  expect(channelArguments("/run/s", "x", true)).toContain("-tt");
});
