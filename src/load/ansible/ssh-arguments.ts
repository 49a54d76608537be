import type { Connection } from "../../core/inventory/inventory-entries.ts";
import { jumpOf } from "./proxy-command.ts";
import { sshWords } from "./words.ts";

/** The settings that ssh arguments correspond to, and the arguments that furrow does not support. */
export interface SshArguments {
  readonly connection: Connection;
  /** The options that furrow ignores, without their values, which may be secrets. */
  readonly ignored: readonly string[];
  /**
   * The first option that furrow must not ignore, because it would then reach another machine or trust a revoked key.
   */
  readonly needed: string | undefined;
}

/** Options that furrow ignores, because it manages its connections itself. */
const needless = new Set(
  "controlmaster controlpersist controlpath compression forwardagent loglevel batchmode".split(" "),
);

/** Options that decide which machine ssh reaches, or which keys it refuses. */
const needed = new Set(["proxycommand", "hostname", "revokedhostkeys"]);

/**
 * Reads ssh arguments such as `-o ProxyJump=gate -i key`, the format of `ansible_ssh_common_args`. As in ssh, the first
 * value of an option wins; identity files are collected. Undefined if a quote is not closed.
 */
export function sshArguments(text: string): SshArguments | undefined {
  const words = sshWords(text);
  if (words === undefined) return undefined;
  let connection: Connection = {};
  let missed: string | undefined;
  const ignored: string[] = [];
  for (const { flag, value } of words) {
    const { name, key, found } = read(flag, value);
    if (found !== undefined) connection = firstOf(connection, found);
    else if (key === "proxycommand" && connection.proxyJump !== undefined && connection.proxyJump !== "none") continue;
    else if (needed.has(key) || flag === "F" || flag === "") missed ??= name;
    else ignored.push(name);
  }
  return { connection, ignored, needed: missed };
}

/** Settings in the order in which ssh reads them: the first value wins, but every identity file is offered. */
export function firstOf(first: Connection, later: Connection): Connection {
  const files = new Set([first.identityFile ?? [], later.identityFile ?? []].flat());
  const [only = "", ...others] = files;
  return {
    ...later,
    ...first,
    ...(files.size > 0 && { identityFile: others.length === 0 ? only : [only, ...others] }),
  };
}

function read(flag: string, value: string): { name: string; key: string; found: Connection | undefined } {
  if (flag === "") return { name: "a word that is not an option", key: "", found: undefined };
  if (flag !== "o") return { name: `-${flag}`, key: "", found: plainFlag(flag, value) };
  const [, option = "", said = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*)$/.exec(value) ?? [];
  const key = option.toLowerCase();
  return { name: `-o ${option}`.trim(), key, found: needless.has(key) ? {} : settingOf(key, said) };
}

function plainFlag(flag: string, value: string): Connection | undefined {
  if (flag === "J") return { proxyJump: value };
  if (flag === "i") return { identityFile: value };
  if (flag === "l") return { user: value };
  return flag === "p" && /^\d+$/.test(value) ? { port: Number(value) } : undefined;
}

function settingOf(key: string, value: string): Connection | undefined {
  switch (key) {
    case "proxyjump":
      return { proxyJump: value };
    case "proxycommand":
      return jumpOf(value);
    case "stricthostkeychecking":
      if (value.toLowerCase() === "accept-new") return { hostKeyPolicy: "accept-new" };
      return { hostKeyPolicy: /^(?:no|off|false)$/i.test(value) ? "off" : "strict" };
    case "userknownhostsfile":
      return { knownHostsFile: value.split(/\s+/) };
    case "identityfile":
      return { identityFile: value };
    case "user":
      return { user: value };
    case "port":
      return /^\d+$/.test(value) ? { port: Number(value) } : undefined;
    case "connecttimeout":
      return /^[1-9]\d*$/.test(value) ? { connectTimeoutSeconds: Number(value) } : undefined;
    case "serveraliveinterval":
      return /^\d+$/.test(value) ? { keepaliveSeconds: Number(value) } : undefined;
    default:
      return undefined;
  }
}
