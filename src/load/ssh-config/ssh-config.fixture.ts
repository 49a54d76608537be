import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";

/** A configuration, and the host names to look up in it. */
export type Config = readonly [what: string, text: string, names: readonly string[]];

const me = userInfo().username;

/** Writes the included files into a folder. */
export function writeIncluded(folder: string): void {
  const files: Record<string, string> = {
    more: "User from-include\nHost inner\n  Port 7000\nHost *\n  ServerAliveInterval 9\n",
    match: "Match all\n  Port 7100\n",
    outer: `Host web*\n  Include ${join(folder, "innermost")}\n  User outer\n`,
    innermost: "Port 7200\nHost web2\n  Port 7201\n  HostName two.example\n",
    "parts/20-b": "User twenty\n  ConnectTimeout 20\n",
    "parts/10-a": "User ten\n",
    "parts/.hidden": "Port 6666\n",
    "parts/[x]": "ServerAliveCountMax 9\n",
    "parts/B": "ServerAliveCountMax 8\n",
    "parts/folder/inside": "Port 6667\n",
    "with space": "User spaced\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/**
 * Configurations that OpenSSH and furrow must read in the same way; `folder` contains the files of {@link
 * writeIncluded}.
 */
export function configs(folder: string): readonly Config[] {
  return [...lines, ...hosts, ...matches, ...ways, ...names, ...includes(folder)];
}

const lines: readonly Config[] = [
  ["first value wins", "Host web1\n Port 2201\n User a\nHost web*\n Port 2202\n User b\n", ["web1", "web2", "db"]],
  ["before any Host", "Port 2200\nHost web\n Port 1\n", ["web"]],
  ["equals signs, quotes, case", 'HOST=web\n  hOsTnAmE = "10.0.0.1"\n\tPORT=22022\n  user "some one"\n', ["web"]],
  ["spaces around equals signs", "Port  =  22023\nUser=\ta\nConnectTimeout =5\n", ["web"]],
  ["comments", "# Host web\nHost web # the first\n  Port 2022 # odd\n#Port 1\n", ["web", "the"]],
  [
    "a number sign in a word does not start a comment",
    "Host a\n IdentityFile ~/k#1\n User a#b\n HostName h#x\n",
    ["a"],
  ],
  ["a number sign in quotes does not start a comment", 'Host a\n IdentityFile "~/k #1"\n User "#root"\n', ["a"]],
  ["single quotes", "Host a\n User 'some one'\n IdentityFile '~/my keys/\"id\"'\n", ["a"]],
  ["escapes", 'Host a\n User "a\\"b\\\\c"\n IdentityFile ~/one\\ two\n IdentityFile ~/a\\b\n', ["a"]],
  ["quotes in the middle of a word", 'Host a\n User so"me o"ne\n', ["a"]],
  ["carriage returns and form feeds at the end of lines", "Host a\r\n  Port 2024\r\n  User u \f\r\n", ["a"]],
  ["tabs", "\tHost\ta\tb\n\t\tPort\t2025\t\n", ["a", "b"]],
  ["indentation and blank lines are ignored", "\n\nHost a\n\n\n   Port 2400\n\nUser x\nHost b\nUser b\n", ["a", "b"]],
  ["no newline at the end", "Host a\n  Port 2401", ["a"]],
  [
    "a port by its service's name",
    "Host a\n Port ssh\nHost b\n Port http\n UserKnownHostsFile /k/%p\nHost c\n Port 022\n",
    ["a", "b", "c"],
  ],
  ["keepalives that never give up", "ServerAliveInterval 5\nServerAliveCountMax 0\n", ["a"]],
  [
    "a number for a host",
    "Host 12*\n User n\n UserKnownHostsFile /k/%h\n",
    ["1234", "127.1", "0x7f000001", "12.0.0.9", "1.2.3.999", "12a"],
  ],
  ["a number as HostName", "Host a\n HostName 127.1\n", ["a"]],
  ["a file with only comments", "# nothing\n\n   # more\n", ["a"]],
];

const hosts: readonly Config[] = [
  ["several patterns, negation", "Host web* !web3 db\n  Port 2022\n", ["web1", "web3", "db", "other"]],
  ["negation alone matches nothing", "Host !web\n  Port 2022\n", ["web", "db"]],
  ["negation first", "Host !*.internal *\n  User out\n", ["a.internal", "a.example"]],
  ["a question mark is one character", "Host web?\n  Port 2022\n", ["web", "web1", "web12"]],
  ["brackets are literal", "Host web[12]\n  Port 2022\nHost web1\n  Port 2023\n", ["web1"]],
  ["dots and plus signs are literal", "Host a.b+c\n  Port 2022\n", ["a.b+c", "aXbbc"]],
  ["a quoted pattern", 'Host "web1" "db*"\n  Port 2022\n', ["web1", "db7", "x"]],
  ["Host is compared with the name as typed", "Host a\n  HostName b\nHost b\n  Port 2026\n", ["a", "b"]],
  ["names in capitals", "Host WEB\n  Port 2027\nHost web\n  Port 2028\n", ["WEB", "web"]],
  ["IPv6", "Host ::1 fe80::*\n  Port 2500\n", ["::1", "fe80::1"]],
];

const matches: readonly Config[] = [
  [
    "Match host compares HostName, and Match originalhost compares the name as typed",
    "Host a\n HostName b.example.com\nMatch host *.example.com\n Port 1001\nMatch originalhost a\n User orig\nMatch host a\n User never\n",
    ["a", "b.example.com"],
  ],
  ["Match host ignores case", "Match host WEB*,db\n Port 1011\n", ["web1", "DB", "x"]],
  ["Match user", "Host a\n User admin\nMatch user admin\n Port 1002\nMatch user other,x*\n Port 1003\n", ["a", "b"]],
  ["Match user without a User compares the local user", `Match user ${me}\n Port 1012\n`, ["a"]],
  [
    "Match localuser and negation",
    `Match localuser ${me} !host web\n Port 1004\nMatch !localuser ${me}\n Port 1005\n`,
    ["web", "db"],
  ],
  ["a negated pattern in a list", "Match host !web1,web*\n Port 1013\n", ["web1", "web2"]],
  ["Match with equals signs", "Match host=web* user=admin\n Port 1014\nHost web1\n User x\n", ["web1"]],
  ["Match all", "Match all\n Port 1006\nHost web\n Port 1\n", ["web"]],
  [
    "Match final",
    "Host short\n HostName long.example.com\nMatch final host long.example.com\n User final-user\n Port 1007\n",
    ["short", "x"],
  ],
  ["Match !final", "Match !final host a\n User first-pass\nMatch final\n User second\n Port 1015\n", ["a", "b"]],
  [
    "Host in the second pass sees HostName",
    "Host a\n HostName long.example\nHost long.example\n Port 1016\nMatch final all\n ConnectTimeout 3\n",
    ["a"],
  ],
  [
    "Match canonical with CanonicalizeHostname yes",
    "CanonicalizeHostname yes\nMatch canonical\n User x\nMatch all\n Port 7\n",
    ["a.b"],
  ],
  [
    "Match canonical with CanonicalizeHostname always",
    "CanonicalizeHostname always\nMatch !canonical\n User x\nMatch canonical\n User y\n",
    ["a.b"],
  ],
  [
    "Match canonical with CanonicalizeHostname no",
    "CanonicalizeHostname no\nMatch canonical\n User x\nMatch canonical all\n Port 9\n",
    ["a"],
  ],
  ["Match canonical", "Match canonical\n Port 1017\nMatch final\n User f\n", ["a"]],
  ["Match exec", 'Match exec "test %h = web1 -a %n = w"\n Port 1008\nHost w\n User after\n', ["w", "web1"]],
  ["Match exec true and false", 'Match exec true\n Port 1018\nMatch exec "exit 3"\n User never\n', ["a"]],
  ["Match !exec", 'Match !exec "test %n = a"\n Port 1019\nMatch host a !exec false\n User yes\n', ["a", "b"]],
  [
    "Match exec receives the port and the users",
    `Host a\n Port 2031\n User ruth\nMatch exec "test %p-%r-%u = 2031-ruth-${me}"\n ConnectTimeout 4\n`,
    ["a"],
  ],
  ["Host ends a Match", "Match host nothing\n Port 1\nHost *\n User u\n", ["a"]],
];

const ways: readonly Config[] = [
  ["ProxyJump", "Host in*\n ProxyJump me@bastion:2222,second\nHost bastion\n ProxyJump none\n", ["in1", "bastion"]],
  [
    "ProxyJump none before a wildcard",
    "Host bastion\n ProxyJump none\nHost *\n ProxyJump bastion\n",
    ["bastion", "web"],
  ],
  ["a chain of three", "Host a\n ProxyJump x,you@y:23,z.example\n", ["a"]],
  ["ProxyJump to an IPv6 address", "Host a\n ProxyJump me@[2001:db8::1]:2222\n", ["a"]],
  ["ProxyCommand before ProxyJump", "Host a\n ProxyCommand nc %h %p\nHost *\n ProxyJump bastion\n", ["a", "b"]],
  ["ProxyJump before ProxyCommand", "Host a\n ProxyJump bastion\nHost *\n ProxyCommand nc %h %p\n", ["a", "b"]],
  ["ProxyCommand none before ProxyJump", "Host a\n ProxyCommand none\nHost *\n ProxyJump bastion\n", ["a", "b"]],
  ["ProxyJump none elsewhere, ProxyCommand here", "Host a\n ProxyJump none\nHost *\n ProxyCommand nc %h\n", ["b"]],
  ["ProxyCommand with quotes", "ProxyCommand sh -c \"nc '%h' %p # no comment\"\n", ["a"]],
  ["times and switches", "ConnectTimeout 1m30s\nServerAliveInterval 2m\nStrictHostKeyChecking accept-new\n", ["a"]],
  ["more times", "ConnectTimeout 1h\nServerAliveInterval 1m5\nServerAliveCountMax 7\n", ["a"]],
  ["ConnectTimeout none", "ConnectTimeout none\nServerAliveInterval 0\n", ["a"]],
  ["switches with synonyms", "IdentitiesOnly true\nStrictHostKeyChecking off\n", ["a"]],
];

const names: readonly Config[] = [
  ["%h and %% in HostName", "Host a b\n  HostName %h.example.com\nHost c\n  HostName x%%h\n", ["a", "b"]],
  ["HostName becomes lower case", "Host a\n  HostName Web1.Example.COM\n", ["a"]],
  [
    "IdentityFile collects values, others keep the first",
    "Host a\n IdentityFile ~/k1\n IdentitiesOnly yes\nHost *\n IdentityFile ~/k2\n IdentityFile ~/k1\n IdentitiesOnly no\n",
    ["a", "b"],
  ],
  ["CertificateFile collects values too", "Host a\n CertificateFile ~/c1\nHost *\n CertificateFile ~/c2\n", ["a", "b"]],
  ["known_hosts files", "UserKnownHostsFile ~/.ssh/kh1 /tmp/kh2\nGlobalKnownHostsFile /dev/null\n", ["a"]],
  ["known_hosts files in quotes", 'UserKnownHostsFile "~/.ssh/k h" /tmp/x\n', ["a"]],
  [
    "tokens in known_hosts files",
    "Host a\n HostName b\n User u\n Port 29\n UserKnownHostsFile /k/%h-%n-%p-%r-%k-%u /k/%i-%%\nHost *\n HostKeyAlias al\n",
    ["a"],
  ],
  ["a variable in known_hosts files", "UserKnownHostsFile ${FURROW_KEYS}/kh ~/.ssh/kh-%h\n", ["a"]],
  ["%C, %d, %l and %L", "UserKnownHostsFile /k/%C %d/kh /k/%l-%L\n", ["a"]],
  [
    "agent",
    "Host a\n IdentityAgent none\nHost b\n IdentityAgent /run/me.sock\nHost c\n IdentityAgent SSH_AUTH_SOCK\n",
    ["a", "b", "c"],
  ],
  ["tokens of the agent", "Host a\n IdentityAgent ~/run/%r@%h.sock\nHost b\n IdentityAgent %d/%n\n", ["a", "b"]],
  ["HostKeyAlias", "Host web*\n HostKeyAlias the-web\nHost *\n HostKeyAlias other\n", ["web1", "db"]],
];

function includes(folder: string): readonly Config[] {
  const at = (name: string): string => join(folder, name);
  return [
    ["Include in place", `Host a\n  Include ${at("more")}\n  Port 2300\nHost *\n User late\n`, ["a", "b", "inner"]],
    ["Include before everything", `Include ${at("more")}\nPort 2301\n`, ["a", "inner"]],
    ["a Match in an Include ends with it", `Host none-such\n  Include ${at("match")}\nHost a\n User x\n`, ["a"]],
    ["Include within Include within Host", `Include ${at("outer")}\nHost *\n User late\n`, ["web1", "web2", "x"]],
    ["a nested Include whose Host does not match", `Host db\n  Include ${at("outer")}\n`, ["web2", "db"]],
    ["Include by pattern: in order, without hidden files and folders", `Include ${at("parts/*")}\n`, ["a"]],
    ["Include by a set", `Include ${at("parts/[12]0-?")}\nUser z\n`, ["a"]],
    ["Include by a negated set", `Include ${at("parts/[!1]*")}\n`, ["a"]],
    ["braces are literal", `Include ${at("parts/{10-a,20-b}")}\nUser z\n`, ["a"]],
    ["Include in a folder by pattern", `Include ${at("p*/fold?r/ins*")}\n`, ["a"]],
    ["several files in one Include, one missing", `Include ${at("none")} ${at("match")} ${at("more")}\n`, ["a"]],
    ["Include in quotes", `Include "${at("with space")}"\nPort 3\n`, ["a"]],
    ["Include with an equals sign", `Include=${at("more")}\n`, ["a"]],
  ];
}

/** Configurations that both OpenSSH and furrow refuse. */
export const refused: readonly (readonly [what: string, text: string])[] = [
  ["a keyword without a value", "Host a\n User\n"],
  ["an unclosed quote", 'Host a\n User "x\n'],
  ["an unclosed single quote", "Host b\n User it's\n"],
  ["a port too high", "Port 70000\n"],
  ["a port of letters", "Port many\n"],
  ["an invalid switch", "IdentitiesOnly perhaps\n"],
  ["an invalid policy", "StrictHostKeyChecking perhaps\n"],
  ["an invalid time", "ConnectTimeout soon\n"],
  ["a token that HostName does not allow", "HostName %p.example\n"],
  ["an unknown token", "UserKnownHostsFile /k/%z\n"],
  ["a variable that is not set", "UserKnownHostsFile ${FURROW_NO_SUCH}/k\n"],
];
