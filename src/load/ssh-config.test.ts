import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SshSettings } from "./address.ts";
import { readSshConfig } from "./ssh-config-files.ts";
import { parseSshConfig } from "./ssh-config-lines.ts";
import { optionsFor } from "./ssh-config-options.ts";
import { sshSettings } from "./ssh-config.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-ssh-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

const question = {
  localUser: userInfo().username,
  home: homedir(),
  env: { SSH_AUTH_SOCK: "/run/agent", KEYS: "/keys" },
};
const included: Record<string, string> = {
  [join(folder, "more")]: "User from-include\nHost inner\n  Port 7000\nHost *\n  ServerAliveInterval 9\n",
  [join(folder, "match")]: "Match all\n  Port 7100\n",
};
for (const [path, text] of Object.entries(included)) writeFileSync(path, text);

function statements(text: string): ReturnType<typeof parseSshConfig>[] {
  return [parseSshConfig(text, "config", (path) => [{ path, text: included[path] ?? "" }])];
}
const settings = (text: string, name: string, user?: string): SshSettings =>
  sshSettings(statements(text), { ...question, name, ...(user === undefined ? {} : { user }) });

/** A configuration, the names to ask it about. Each is asked of `ssh -G` too. */
const cases: readonly (readonly [what: string, text: string, names: readonly string[]])[] = [
  ["first value wins", "Host web1\n Port 2201\n User a\nHost web*\n Port 2202\n User b\n", ["web1", "web2", "db"]],
  ["before any Host", "Port 2200\nHost web\n Port 1\n", ["web"]],
  ["equals signs, quotes, case", 'HOST=web\n  hOsTnAmE = "10.0.0.1"\n\tPORT=22022\n  user "some one"\n', ["web"]],
  ["comments", "# Host web\nHost web # the first\n  Port 2022 # odd\n#Port 1\n", ["web", "the"]],
  ["several patterns, negation", "Host web* !web3 db\n  Port 2022\n", ["web1", "web3", "db", "other"]],
  ["negation alone matches nothing", "Host !web\n  Port 2022\n", ["web", "db"]],
  ["question mark", "Host web?\n  Port 2022\n", ["web1", "web12"]],
  ["%h and %% in HostName", "Host a b\n  HostName %h.example.com\nHost c\n  HostName x%%h\n", ["a", "b"]],
  [
    "IdentityFile gathers, others do not",
    "Host a\n IdentityFile ~/k1\n IdentitiesOnly yes\nHost *\n IdentityFile ~/k2\n IdentityFile ~/k1\n IdentitiesOnly no\n",
    ["a", "b"],
  ],
  ["ProxyJump", "Host in*\n ProxyJump me@bastion:2222,second\nHost bastion\n ProxyJump none\n", ["in1", "bastion"]],
  [
    "ProxyJump none before a wildcard",
    "Host bastion\n ProxyJump none\nHost *\n ProxyJump bastion\n",
    ["bastion", "web"],
  ],
  [
    "Match host sees HostName, originalhost the name",
    "Host a\n HostName b.example.com\nMatch host *.example.com\n Port 1001\nMatch originalhost a\n User orig\nMatch host a\n User never\n",
    ["a", "b.example.com"],
  ],
  ["Match user", "Host a\n User admin\nMatch user admin\n Port 1002\nMatch user other,x*\n Port 1003\n", ["a", "b"]],
  [
    "Match localuser and negation",
    `Match localuser ${userInfo().username} !host web\n Port 1004\nMatch !localuser ${userInfo().username}\n Port 1005\n`,
    ["web", "db"],
  ],
  ["Match all", "Match all\n Port 1006\nHost web\n Port 1\n", ["web"]],
  [
    "Match final",
    "Host short\n HostName long.example.com\nMatch final host long.example.com\n User final-user\n Port 1007\n",
    ["short", "x"],
  ],
  ["Match exec false", 'Match exec "false"\n Port 1008\nMatch all\n User after\n', ["a"]],
  ["Host ends a Match", "Match host nothing\n Port 1\nHost *\n User u\n", ["a"]],
  [
    "Include in place",
    `Host a\n  Include ${join(folder, "more")}\n  Port 2300\nHost *\n User late\n`,
    ["a", "b", "inner"],
  ],
  ["Include before everything", `Include ${join(folder, "more")}\nPort 2301\n`, ["a", "inner"]],
  [
    "a Match in an Include ends with it",
    `Host none-such\n  Include ${join(folder, "match")}\nHost a\n User x\n`,
    ["a"],
  ],
  ["times and switches", "ConnectTimeout 1m30s\nServerAliveInterval 2m\nStrictHostKeyChecking accept-new\n", ["a"]],
  ["known_hosts files", "UserKnownHostsFile ~/.ssh/kh1 /tmp/kh2\nGlobalKnownHostsFile /dev/null\n", ["a"]],
  [
    "agent",
    "Host a\n IdentityAgent none\nHost b\n IdentityAgent /run/me.sock\nHost c\n IdentityAgent SSH_AUTH_SOCK\n",
    ["a", "b", "c"],
  ],
  [
    "indentation and blank lines mean nothing",
    "\n\nHost a\n\n\n    Port 2400\n\nUser still-a\nHost b\nUser b\n",
    ["a", "b"],
  ],
  ["IPv6", "Host ::1 fe80::*\n  Port 2500\n", ["::1", "fe80::1"]],
];

const compared = ["hostname", "user", "port", "identityfile", "identitiesonly", "proxyjump", "stricthostkeychecking"];
const alsoCompared = [
  "connecttimeout",
  "serveraliveinterval",
  "userknownhostsfile",
  "globalknownhostsfile",
  "identityagent",
];
const hasSsh = spawnSync("ssh", ["-V"]).status === 0;
if (!hasSsh) process.stderr.write("left out without openssh-client: the comparison of ssh_config with ssh -G\n");

/** What `ssh -G` says where it is not the default, in the words of {@link optionsFor}. */
function oracle(text: string, name: string): Record<string, string[]> {
  const file = join(folder, "config");
  writeFileSync(file, text);
  const ask = (config: string): string[] =>
    execFileSync("ssh", ["-T", "-G", "-F", config, name], { encoding: "utf8" }).trim().split("\n");
  const defaults = new Set(ask("/dev/null"));
  const answer: Record<string, string[]> = {};
  for (const line of ask(file)) {
    const [keyword = "", ...words] = line.split(" ");
    if (defaults.has(line) || ![...compared, ...alsoCompared].includes(keyword)) continue;
    const many = keyword.endsWith("hostsfile") ? words : [words.join(" ")];
    answer[keyword] = [...(answer[keyword] ?? []), ...many];
  }
  return answer;
}

/** Our options in the form `ssh -G` prints them. */
function ours(text: string, name: string): Record<string, string[]> {
  const all = { ...question, name };
  const options = optionsFor(statements(text), all);
  const { address, connectTimeoutSeconds, keepaliveSeconds, user, port } = sshSettings(statements(text), all);
  const home = (path: string): string => path.replace(/^~/, question.home);
  const printed: Record<string, string[] | undefined> = {
    ...Object.fromEntries(options),
    hostname: address === undefined || address === name ? undefined : [address],
    user: user === undefined || user === question.localUser ? undefined : [user],
    port: port === undefined || port === 22 ? undefined : [String(port)],
    connecttimeout: connectTimeoutSeconds === undefined ? undefined : [String(connectTimeoutSeconds)],
    serveraliveinterval: keepaliveSeconds === undefined ? undefined : [String(keepaliveSeconds)],
    userknownhostsfile: options.get("userknownhostsfile")?.map(home),
    identitiesonly: options.get("identitiesonly")?.filter((word) => word !== "no"),
    proxyjump: options.get("proxyjump")?.filter((word) => word !== "none"),
  };
  return Object.fromEntries(
    Object.entries(printed).flatMap(([key, words]) =>
      words === undefined || words.length === 0 || ![...compared, ...alsoCompared].includes(key) ? [] : [[key, words]],
    ),
  );
}

describe.runIf(hasSsh)("as ssh -G sees it", () => {
  test.each(cases.flatMap(([what, text, names]) => names.map((name) => [what, name, text] as const)))(
    "%s: %s",
    (_what, name, text) => {
      expect(ours(text, name)).toEqual(oracle(text, name));
    },
  );
});

test.runIf(hasSsh)("the comparison is not empty: most cases differ from OpenSSH's defaults", () => {
  const answers = cases.flatMap(([, text, names]) => names.map((name) => Object.keys(oracle(text, name)).length));
  expect(answers.filter((count) => count > 0).length).toBeGreaterThan(answers.length * 0.7);
});

describe("in furrow's terms", () => {
  test("nothing said, nothing known", () => {
    expect(settings("Host other\n Port 1\n", "web")).toEqual({});
  });

  test("everything at once", () => {
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
      connectTimeoutSeconds: 7,
      keepaliveSeconds: 20,
    });
  });

  test.each([
    ["ask", "strict"],
    ["yes", "strict"],
    ["accept-new", "accept-new"],
    ["off", "off"],
  ])("StrictHostKeyChecking %s is %s", (value, policy) => {
    expect(settings(`StrictHostKeyChecking ${value}\n`, "a").hostKeyPolicy).toBe(policy);
  });

  test("the agent: none, by variable, by path", () => {
    expect(settings("IdentityAgent none\n", "a").agent).toBe("none");
    expect(settings("IdentityAgent SSH_AUTH_SOCK\n", "a").agent).toBe("/run/agent");
    expect(settings("IdentityAgent $SSH_AUTH_SOCK\n", "a").agent).toBe("/run/agent");
    expect(settings("IdentityAgent ~/a.sock\n", "a").agent).toBe(join(question.home, "a.sock"));
  });

  test("a user asked for wins and counts for Match", () => {
    const text = "Host a\n User file\nMatch user admin\n Port 1\nMatch user file\n Port 2\n";
    expect(settings(text, "a", "admin")).toMatchObject({ user: "admin", port: 1 });
  });

  test("Match exec runs nothing", () => {
    const witness = join(folder, "witness");
    expect(settings(`Match exec "touch ${witness}"\n Port 1\n`, "a")).toEqual({});
    expect(spawnSync("test", ["-e", witness]).status).toBe(1);
  });

  test.each([
    ["Port many\n", "value for Port that is none"],
    ["Port 70000\n", "value for Port that is none"],
    ["StrictHostKeyChecking perhaps\n", "value for StrictHostKeyChecking that is none"],
    ["ConnectTimeout soon\n", "value for connecttimeout that is none"],
    ['Host "a\n', "cannot be read"],
  ])("%j is refused", (text, message) => {
    expect(() => settings(text, "a")).toThrow(message);
  });
});

test("files: the user's before the system's, relative includes beside them, a circle of includes is refused", () => {
  const home = join(folder, "home");
  mkdirSync(join(home, ".ssh/conf.d"), { recursive: true });
  writeFileSync(join(home, ".ssh/config"), "Include conf.d/*\nInclude missing\nHost web\n  Port 3\n");
  writeFileSync(join(home, ".ssh/conf.d/1"), "Host web\n  User one\n");
  writeFileSync(join(home, ".ssh/conf.d/2"), "Host web\n  User two\n  Port 2\n");
  expect(readSshConfig(home)("web")).toMatchObject({ user: "one", port: 2 });
  expect(readSshConfig(join(folder, "nobody"))("web")).not.toHaveProperty("port");
  writeFileSync(join(home, ".ssh/conf.d/3"), "Include ~/.ssh/config\n");
  expect(() => readSshConfig(home)("web")).toThrow("more than 16 deep");
});
