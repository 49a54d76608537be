import type { Address } from "../../core/host/transport.ts";
import { jumpConfig, quoted, unexpanded } from "./jump-config.ts";

/** Writes a file for ssh and returns its path. */
export type WriteFile = (name: string, text: string) => string;

/** The master prints this on stdout once its connection can be shared. */
export const ready = "furrow-ready";

/**
 * ssh runs this after the login, in the user's own shell. It reports that ssh is ready and leaves a watcher behind that
 * ends ssh if furrow dies without closing the connection. A line on stdin ends the watcher.
 */
const localCommand = `exec sh -c 'exec 3<&0; { read x <&3 || kill -TERM $PPID; } >/dev/null 2>&1 & echo ${ready}'`;

/** Options that ssh_config must not change: no prompts, no forwarding, no other connection. */
const fixed = [
  "BatchMode=yes",
  "ControlMaster=yes",
  "ControlPersist=no",
  "ClearAllForwardings=yes",
  "RemoteCommand=none",
  "PermitLocalCommand=yes",
  `LocalCommand=${localCommand}`,
  // ssh prints the offers and answers of a login only at debug level.
  "LogLevel=DEBUG1",
];

const policies = { strict: "yes", "accept-new": "accept-new", off: "no" } as const;

/**
 * The arguments of the ssh process that connects to a host and shares the connection through `socket`. ssh reads
 * ssh_config itself, so the arguments contain only settings from the inventory or the command line, and furrow's own
 * fixed options.
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
    ...(said.has("jump") ? jumpArguments(address, write) : []),
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
  const files = knownHostsFiles.map((path) => quoted(unexpanded(path))).join(" ") || "/dev/null";
  return [...policy, `UserKnownHostsFile=${files}`, "GlobalKnownHostsFile=/dev/null"];
}

function jumpArguments({ jump }: Address, write: WriteFile): string[] {
  // With `ProxyJump=none`, a ProxyCommand in ssh_config would still apply; `ProxyCommand=none` overrides both settings.
  if (jump.length === 0) return options(["ProxyCommand=none"]);
  const { names, text } = jumpConfig(jump);
  return ["-F", write("config", text), "-J", names.join(",")];
}

/**
 * The arguments of the ssh process that starts one process on the host over the connection behind `socket`, and never
 * opens its own connection.
 */
export function channelArguments(socket: string, command: string, terminal: boolean): string[] {
  return [
    "-F",
    "none",
    "-S",
    unexpanded(socket),
    terminal ? "-tt" : "-T",
    // If the connection is gone, ssh would open its own connection: this ProxyCommand makes that fail.
    ...options(["ControlMaster=no", "ProxyCommand=false", "BatchMode=yes", "EscapeChar=none", "LogLevel=ERROR"]),
    "--",
    "furrow",
    command,
  ];
}

function options(lines: readonly string[]): string[] {
  return lines.flatMap((line) => ["-o", line]);
}
