import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SshSettings } from "../inventory/address.ts";
import { readSshConfig } from "./files.ts";
import { parseSshConfig } from "./lines.ts";
import { sshSettings } from "./ssh-config.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-ssh-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

const question = {
  localUser: userInfo().username,
  home: homedir(),
  env: { SSH_AUTH_SOCK: "/run/agent", KEYS: "/keys" },
};
function statements(text: string): ReturnType<typeof parseSshConfig>[] {
  return [parseSshConfig(text, "config", () => [])];
}
const settings = (text: string, name: string, user?: string): SshSettings =>
  sshSettings(statements(text), { ...question, name, ...(user === undefined ? {} : { user }) });

describe("furrow's settings", () => {
  test("are empty if no section applies", () => {
    expect(settings("Host other\n Port 1\n", "web")).toEqual({});
  });

  test("are read from all supported keywords", () => {
    const text = [
      "Host web",
      "  HostName %h.example.com",
      "  Port 2222",
      "  User deploy",
      "  IdentityFile ~/.ssh/%r_%h",
      "  IdentityFile ${KEYS}/id",
      "  IdentitiesOnly yes",
      "  IdentityAgent %d/agent.sock",
      "  ProxyJump me@bastion:2200",
      "  StrictHostKeyChecking no",
      "  UserKnownHostsFile ~/kh",
      "  ConnectTimeout 7",
      "  ServerAliveInterval 20",
    ].join("\n");
    expect(settings(text, "web")).toEqual({
      address: "web.example.com",
      port: 2222,
      user: "deploy",
      identityFiles: [join(question.home, ".ssh/deploy_web.example.com"), "/keys/id"],
      identitiesOnly: true,
      agent: join(question.home, "agent.sock"),
      proxyJump: "me@bastion:2200",
      hostKeyPolicy: "off",
      knownHostsFiles: [join(question.home, "kh"), "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"],
      newHostKeysFile: join(question.home, "kh"),
      connectTimeoutSeconds: 7,
      keepaliveSeconds: 20,
    });
  });

  test.each([
    ["ask", "strict"],
    ["yes", "strict"],
    ["accept-new", "accept-new"],
    ["off", "off"],
  ])("read StrictHostKeyChecking %s as %s", (value, policy) => {
    expect(settings(`StrictHostKeyChecking ${value}\n`, "a").hostKeyPolicy).toBe(policy);
  });

  test("name the file of revoked host keys", () => {
    const text = "Host a\n RevokedHostKeys ~/revoked\nHost b\n RevokedHostKeys none\n";
    expect(settings(text, "a")).toEqual({ revokedKeysFile: join(question.home, "revoked") });
    expect(settings(text, "b")).toEqual({});
  });

  test("never let a new key be added to the system's known_hosts files", () => {
    const text =
      "Host a\n UserKnownHostsFile none\n GlobalKnownHostsFile /g\nHost b\n UserKnownHostsFile none\nHost c\n GlobalKnownHostsFile /g\n";
    expect(settings(text, "a")).toEqual({ knownHostsFiles: ["/g"] });
    expect(settings(text, "b")).not.toHaveProperty("newHostKeysFile");
    expect(settings(text, "c").newHostKeysFile).toBe(join(question.home, ".ssh/known_hosts"));
  });

  test("name the agent by variable or by path, or set it to none", () => {
    expect(settings("IdentityAgent none\n", "a").agent).toBe("none");
    expect(settings("IdentityAgent SSH_AUTH_SOCK\n", "a").agent).toBe("/run/agent");
    expect(settings("IdentityAgent $SSH_AUTH_SOCK\n", "a").agent).toBe("/run/agent");
    expect(settings("IdentityAgent ~/a.sock\n", "a").agent).toBe(join(question.home, "a.sock"));
  });

  test("prefer the requested user, in Match too", () => {
    const text = "Host a\n User file\nMatch user admin\n Port 1\nMatch user file\n Port 2\n";
    expect(settings(text, "a", "admin")).toMatchObject({ user: "admin", port: 1 });
  });

  test("run no Match exec command by default", () => {
    const witness = join(folder, "witness");
    expect(settings(`Match exec "touch ${witness}"\n Port 1\n`, "a")).toEqual({});
    expect(spawnSync("test", ["-e", witness]).status).toBe(1);
  });

  test("run a Match exec command once per host, for the requested user, and only if the lookup allows it", () => {
    const home = join(folder, "exec-home");
    const witness = join(folder, "runs");
    mkdirSync(join(home, ".ssh"), { recursive: true });
    writeFileSync(join(home, ".ssh/config"), `Match exec "echo %h-%r >>${witness}"\n Port 2200\n`);
    const read = readSshConfig(home);
    expect(read("web", { user: "deploy" })).toMatchObject({ user: "deploy" });
    expect(read("web", { user: "deploy" })).not.toHaveProperty("port");
    expect(existsSync(witness)).toBe(false);
    for (const name of ["web", "db", "web"]) expect(read(name, { user: "u", matchExec: true }).port).toBe(2200);
    expect(readFileSync(witness, "utf8")).toBe("web-u\ndb-u\n");
  });

  test("expand tokens, HOME and variables in paths", () => {
    const text =
      "Host a\n HostName b\n IdentityFile ${KEYS}/%h%%\n IdentityFile ~/.ssh/%n-%r\n CertificateFile %d/c\n User u\n";
    expect(settings(text, "a")).toMatchObject({
      identityFiles: ["/keys/b%", join(question.home, ".ssh/a-u")],
      certificateFiles: [join(question.home, "c")],
    });
    expect(() => settings("IdentityFile ${NO_SUCH}/k\n", "a")).toThrow("the variable NO_SUCH is not set");
    expect(() => settings("IdentityFile ~/%z\n", "a")).toThrow("the token %z is not allowed there");
  });

  test("include a ProxyCommand unless a ProxyJump comes before it", () => {
    expect(settings("ProxyCommand nc %h %p\nProxyJump b\n", "a")).toEqual({ proxyCommand: "nc %h %p" });
    expect(settings("ProxyJump b\nProxyCommand nc %h %p\n", "a")).toEqual({ proxyJump: "b" });
  });

  test.each([
    ["Port many\n", "invalid value for Port"],
    ["Port 70000\n", "invalid value for Port"],
    ["StrictHostKeyChecking perhaps\n", "invalid value for StrictHostKeyChecking"],
    ["ConnectTimeout soon\n", "invalid value for ConnectTimeout"],
    ['Host "a\n', "cannot be read"],
  ])("are refused if they are invalid: %j", (text, message) => {
    expect(() => settings(text, "a")).toThrow(message);
  });
});

test("prefers the user's file, finds relative includes next to it, and refuses circular includes", () => {
  const home = join(folder, "home");
  mkdirSync(join(home, ".ssh/conf.d"), { recursive: true });
  writeFileSync(join(home, ".ssh/config"), "Include conf.d/*\nInclude missing\nHost web\n  Port 3\n");
  writeFileSync(join(home, ".ssh/conf.d/1"), "Host web\n  User one\n");
  writeFileSync(join(home, ".ssh/conf.d/2"), "Host web\n  User two\n  Port 2\n");
  expect(readSshConfig(home)("web")).toMatchObject({ user: "one", port: 2 });
  expect(readSshConfig(join(folder, "nobody"))("web")).not.toHaveProperty("port");
  writeFileSync(join(home, ".ssh/conf.d/3"), "Include ~/.ssh/config\n");
  expect(() => readSshConfig(home)("web")).toThrow("more than 16 levels deep");
});
