import type { Connection } from "../../core/inventory/inventory-entries.ts";
import { shellWords } from "./words.ts";

/** The settings that ssh arguments stand for, and the arguments that furrow does not support. */
export interface SshArguments {
  readonly connection: Connection;
  readonly strange: readonly string[];
}

/** Reads ssh arguments such as `-o ProxyJump=gate -i key`, the format of `ansible_ssh_common_args`. */
export function sshArguments(text: string): SshArguments {
  const words = shellWords(text, false) ?? [];
  let connection: Connection = {};
  const strange: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [, flag, glued = ""] = /^-([oJipl])(.*)$/.exec(word) ?? [];
    const value = glued === "" ? (words[at + 1] ?? "") : glued;
    if (flag !== undefined && glued === "") at += 1;
    const found = flag === undefined ? undefined : flag === "o" ? option(value) : plainFlag(flag, value);
    if (found === undefined) strange.push(flag === undefined ? word : `-${flag} ${value}`);
    else connection = { ...connection, ...found };
  }
  return { connection, strange };
}

function plainFlag(flag: string, value: string): Connection | undefined {
  if (flag === "J") return { proxyJump: value };
  if (flag === "i") return { identityFile: value };
  if (flag === "l") return { user: value };
  return /^\d+$/.test(value) ? { port: Number(value) } : undefined;
}

/** Options that furrow ignores, because it manages its connections itself. */
const needless = new Set(
  "controlmaster controlpersist controlpath compression forwardagent loglevel batchmode".split(" "),
);

function option(text: string): Connection | undefined {
  const [, name = "", value = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*)$/.exec(text) ?? [];
  const key = name.toLowerCase();
  if (needless.has(key)) return {};
  switch (key) {
    case "proxyjump":
      return { proxyJump: value };
    case "proxycommand":
      return jumpOf(value);
    case "stricthostkeychecking":
      if (value === "accept-new") return { hostKeyPolicy: "accept-new" };
      return { hostKeyPolicy: value === "no" || value === "off" ? "off" : "strict" };
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

/** The jump host of `ssh -W %h:%p [-q] [-p PORT] [-l USER] [USER@]HOST`; undefined for other commands. */
function jumpOf(command: string): Connection | undefined {
  const [program, ...words] = shellWords(command, false) ?? [];
  if (program === "none") return { proxyJump: "none" };
  if (
    program !== "ssh" ||
    !words.some((word, at) => word === "-W%h:%p" || (word === "-W" && /^\[?%h\]?:%p$/.test(words[at + 1] ?? "")))
  ) {
    return undefined;
  }
  let host: string | undefined;
  let port = "";
  let user = "";
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "-W") at += 1;
    else if (word === "-p") port = `:${words[(at += 1)] ?? ""}`;
    else if (word === "-l") user = `${words[(at += 1)] ?? ""}@`;
    else if (/^-[46ACaqTtxvn]+$/.test(word) || word === "-W%h:%p") continue;
    else if (word.startsWith("-") || host !== undefined) return undefined;
    else host = word;
  }
  return host === undefined ? undefined : { proxyJump: `${host.includes("@") ? "" : user}${host}${port}` };
}
