import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { configs, refused, writeIncluded } from "./ssh-config.fixture.ts";
import { readConfigFile } from "./files.ts";
import { optionsFor, type SshQuestion } from "./options.ts";
import { sshSettings } from "./ssh-config.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-ssh-config-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeIncluded(folder);
const env = { ...process.env, FURROW_KEYS: "/keys" };
// The home folder that ssh uses; ssh ignores HOME.
const { homedir: home, username } = userInfo();
const file = join(folder, "config");
const hasSsh = spawnSync("ssh", ["-V"]).status === 0;
if (!hasSsh) process.stderr.write("left out without openssh-client: the comparison of ssh_config with ssh -G\n");

const compared = [
  ..."hostname user port identityfile certificatefile identitiesonly identityagent proxyjump proxycommand".split(" "),
  ..."stricthostkeychecking hostkeyalias userknownhostsfile globalknownhostsfile connecttimeout".split(" "),
  ..."serveraliveinterval serveralivecountmax".split(" "),
];
type Printed = Readonly<Record<string, readonly string[]>>;

function ask(config: string, name: string, ...more: readonly string[]): string[] | undefined {
  const { status, stdout } = spawnSync("ssh", ["-T", "-G", "-F", config, ...more, name], { encoding: "utf8", env });
  return status === 0 ? stdout.trim().split("\n") : undefined;
}
const defaults = new Set(hasSsh ? ask("/dev/null", "a") : []);
defaults.delete("hostname a");

const said: number[] = [];

/** The output of `ssh -G`, without default values. */
function oracle(text: string, name: string, ...more: readonly string[]): Printed | undefined {
  writeFileSync(file, text);
  const lines = ask(file, name, ...more);
  if (lines === undefined) return undefined;
  const answer: Record<string, string[]> = {};
  for (const line of lines) {
    const [, keyword = "", value = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    if (!defaults.has(line) && compared.includes(keyword)) (answer[keyword] ??= []).push(value);
  }
  said.push(Object.keys(answer).length);
  return answer;
}

/** The settings that furrow reads from the file, in the format of `ssh -G`. */
function ours(text: string, name: string, asked: Partial<SshQuestion> = {}): Printed {
  writeFileSync(file, text);
  const exec = (command: string): boolean => spawnSync("/bin/sh", ["-c", command]).status === 0;
  const question = { name, localUser: username, home, env, exec, ...asked };
  const statements = [readConfigFile({ path: file, folder }, home)];
  const options = optionsFor(statements, question);
  const settings = sshSettings(statements, question);
  const known = settings.knownHostsFiles;
  const policy = options.get("stricthostkeychecking")?.[0] ?? "";
  const printed: Record<string, readonly (string | number | undefined)[]> = {
    hostname: [settings.address ?? name],
    user: [settings.user],
    port: [settings.port],
    // These are printed unchanged.
    identityfile: options.get("identityfile") ?? [],
    certificatefile: options.get("certificatefile") ?? [],
    identitiesonly: [settings.identitiesOnly === true ? "yes" : undefined],
    identityagent: [options.get("identityagent")?.[0] === "SSH_AUTH_SOCK" ? "SSH_AUTH_SOCK" : settings.agent],
    proxyjump: [settings.proxyJump === "none" ? undefined : settings.proxyJump],
    proxycommand: [settings.proxyCommand],
    stricthostkeychecking: [{ yes: "true", no: "false", off: "false" }[policy] ?? (policy || undefined)],
    hostkeyalias: [settings.hostKeyAlias],
    userknownhostsfile: options.has("userknownhostsfile")
      ? [known?.slice(0, options.get("userknownhostsfile")?.length).join(" ")]
      : [],
    globalknownhostsfile: options.has("globalknownhostsfile")
      ? [known?.slice(-(options.get("globalknownhostsfile")?.length ?? 0)).join(" ")]
      : [],
    connecttimeout: [settings.connectTimeoutSeconds],
    serveraliveinterval: [settings.keepaliveSeconds],
    serveralivecountmax: [settings.keepaliveCount],
  };
  const lines = Object.entries(printed).map(([keyword, values]): [string, string[]] => [
    keyword,
    values.flatMap((value) => (value === undefined || defaults.has(`${keyword} ${value}`) ? [] : [String(value)])),
  ]);
  return Object.fromEntries(lines.filter(([, values]) => values.length > 0));
}

// Without /etc/services (Debian's netbase) OpenSSH cannot resolve a port's name, and refuses the whole file.
const corpus = configs(folder).filter(([what]) => existsSync("/etc/services") || !what.includes("service's name"));

describe.runIf(hasSsh)("parity with ssh -G", () => {
  test.each(corpus.flatMap(([what, text, names]) => names.map((name) => [what, name, text] as const)))(
    "reads %s: %s",
    (_what, name, text) => {
      expect(ours(text, name)).toEqual(oracle(text, name));
    },
  );

  test("uses a ProxyCommand after ProxyJump none, as newer OpenSSH does", () => {
    const text = "Host a\n ProxyJump none\nHost *\n ProxyCommand nc %h\n";
    expect(ours(text, "a")).toMatchObject({ proxycommand: ["nc %h"] });
    // Any version of OpenSSH may be installed: older versions treat `none` as a jump host here, and ignore the command.
    expect([["nc %h"], undefined]).toContainEqual(oracle(text, "a")?.["proxycommand"]);
  });

  test("prefers the requested user and port, and uses them for Match and tokens", () => {
    const text = 'Host a\n User file\nMatch user admin exec "test %p = 2222"\n UserKnownHostsFile /k/%r-%p\n';
    const asked = { user: "admin", port: 2222 };
    expect(ours(text, "a", asked)).toEqual(oracle(text, "a", "-l", "admin", "-p", "2222"));
    expect(ours(text, "a", asked)).toMatchObject({ userknownhostsfile: ["/k/admin-2222"] });
  });

  test.each(refused)("refuses %s, as ssh does", (_what, text) => {
    expect(oracle(text, "a")).toBeUndefined();
    expect(() => ours(text, "a")).toThrow(expect.objectContaining({ code: "E_FILE" }) as Error);
  });

  test("mostly compares cases that differ from OpenSSH's defaults", () => {
    expect(corpus.length).toBeGreaterThanOrEqual(70);
    expect(said.filter((count) => count > 1).length).toBeGreaterThan(said.length * 0.7);
  });
});
