import type { Address } from "../../core/host/transport.ts";
import { quoted, unexpanded, wayFile } from "./way-file.ts";

/** Writes a file that ssh is to read, and returns its path. */
export type WriteFile = (name: string, text: string) => string;

/** What the master says on stdout once others can use its connection. */
export const ready = "furrow-ready";

/**
 * Run by ssh once it is let in, by the user's shell, whichever that is: tells us so, and leaves somebody behind who ends
 * ssh should this process end without a goodbye. A line on stdin sends that one away.
 */
const localCommand = `exec sh -c 'exec 3<&0; { read x <&3 || kill -TERM $PPID; } >/dev/null 2>&1 & echo ${ready}'`;

/** What no ssh_config may change: nobody is asked, nothing is forwarded, no other connection is used. */
const fixed = [
  "BatchMode=yes",
  "ControlMaster=yes",
  "ControlPersist=no",
  "ClearAllForwardings=yes",
  "RemoteCommand=none",
  "PermitLocalCommand=yes",
  `LocalCommand=${localCommand}`,
  // What is offered and answered is told by ssh only to those who debug it.
  "LogLevel=DEBUG1",
];

const policies = { strict: "yes", "accept-new": "accept-new", off: "no" } as const;

/**
 * The arguments of the ssh that makes a host's connection and lets others use it by `socket`. ssh_config is ssh's to
 * read; only what the inventory or the command line says of the address, and what holds for every connection of furrow,
 * is said here.
 */
export function masterArguments(address: Address, socket: string, write: WriteFile): string[] {
  const said = address.asked?.said ?? new Set();
  const keepalive = [
    `ServerAliveInterval=${Math.ceil(address.keepaliveSeconds)}`,
    `ServerAliveCountMax=${address.keepaliveCount ?? 3}`,
  ];
  return [
    "-NTax",
    "-S",
    unexpanded(socket),
    ...options([...fixed, ...keepalive, ...keys(address, said)]),
    ...(said.has("user") ? ["-l", address.user] : []),
    ...(said.has("port") ? ["-p", String(address.port)] : []),
    ...(said.has("identityFiles")
      ? options(address.identityFiles.map((path) => `IdentityFile=${quoted(unexpanded(path))}`))
      : []),
    ...(said.has("jump") ? way(address, write) : []),
    "--",
    address.asked?.name ?? address.address,
  ];
}

function keys({ hostKeyPolicy, knownHostsFiles, revokedKeysFile }: Address, said: ReadonlySet<string>): string[] {
  const policy = [
    ...(said.has("hostKeyPolicy") ? [`StrictHostKeyChecking=${policies[hostKeyPolicy]}`] : []),
    ...(revokedKeysFile === undefined ? [] : [`RevokedHostKeys=${quoted(unexpanded(revokedKeysFile))}`]),
  ];
  if (said.has("hostKeyPolicy") && hostKeyPolicy === "off") {
    return [...policy, "UserKnownHostsFile=/dev/null", "GlobalKnownHostsFile=/dev/null"];
  }
  if (!said.has("knownHostsFiles")) return policy;
  const files = knownHostsFiles.map((path) => quoted(unexpanded(path))).join(" ");
  return [...policy, `UserKnownHostsFile=${files}`, "GlobalKnownHostsFile=/dev/null"];
}

function way({ jump }: Address, write: WriteFile): string[] {
  // `ProxyJump=none` would leave a ProxyCommand of ssh_config in force; this leaves neither.
  if (jump.length === 0) return options(["ProxyCommand=none"]);
  const { names, text } = wayFile(jump);
  return ["-F", write("config", text), "-J", names.join(",")];
}

/** The arguments of the ssh that starts one process over the connection behind `socket`, and makes none itself. */
export function channelArguments(socket: string, command: string, terminal: boolean): string[] {
  return [
    "-F",
    "none",
    "-S",
    unexpanded(socket),
    terminal ? "-tt" : "-T",
    // Where the connection is gone ssh would make one of its own: this one leads nowhere.
    ...options(["ControlMaster=no", "ProxyCommand=false", "BatchMode=yes", "EscapeChar=none", "LogLevel=ERROR"]),
    "--",
    "furrow",
    command,
  ];
}

function options(lines: readonly string[]): string[] {
  return lines.flatMap((line) => ["-o", line]);
}
