import { hostname } from "node:os";
import { FurrowError } from "../core/errors.ts";
import type { HostKeyPolicy } from "../core/transport.ts";
import type { SshSettings } from "./address.ts";
import type { Statement } from "./ssh-config-lines.ts";
import { type SshOptions, type SshQuestion, optionsFor } from "./ssh-config-options.ts";
import { expandPath, expandTokens } from "./ssh-config-tokens.ts";

/**
 * What a ssh_config says about a host, in furrow's terms: HostName, User, Port, IdentityFile, IdentitiesOnly,
 * IdentityAgent, ProxyJump, StrictHostKeyChecking, UserKnownHostsFile and GlobalKnownHostsFile, ConnectTimeout,
 * ServerAliveInterval. Files in order of precedence. Throws E_FILE for a value that is none.
 */
export function sshSettings(configuration: readonly (readonly Statement[])[], question: SshQuestion): SshSettings {
  const options = optionsFor(configuration, question);
  const address = expandTokens(one(options, "hostname") ?? question.name, { h: question.name });
  const user = one(options, "user");
  const port = numberOf(options, "port", 65_535);
  const tokens = tokensFor(question, address, user, port);
  const paths = (keyword: string): string[] | undefined => {
    const words = options.get(keyword)?.filter((word) => word.toLowerCase() !== "none");
    return words?.map((path) => expandPath(path, tokens, question.home, question.env));
  };
  const agent = one(options, "identityagent");
  const identityFiles = paths("identityfile");
  const knownHostsFiles = knownHosts(paths, question.home);
  const proxyJump = one(options, "proxyjump");
  return {
    ...defined("address", address === question.name ? undefined : address),
    ...defined("user", user),
    ...defined("port", port),
    ...defined("identityFiles", identityFiles),
    ...defined("identitiesOnly", yesOrNo(options, "identitiesonly")),
    ...defined("agent", agent === undefined ? undefined : agentSocket(agent, tokens, question)),
    ...defined("proxyJump", proxyJump === undefined ? undefined : expandTokens(proxyJump, tokens)),
    ...defined("hostKeyPolicy", hostKeyPolicy(options)),
    ...defined("knownHostsFiles", knownHostsFiles),
    ...defined("connectTimeoutSeconds", seconds(options, "connecttimeout")),
    ...defined("keepaliveSeconds", seconds(options, "serveraliveinterval")),
  };
}

function tokensFor(
  { name, localUser }: SshQuestion,
  address: string,
  user: string | undefined,
  port: number | undefined,
): Record<string, string> {
  const local = hostname();
  return {
    h: address,
    n: name,
    k: name,
    r: user ?? localUser,
    u: localUser,
    p: String(port ?? 22),
    l: local,
    L: local.split(".")[0] ?? local,
    i: String(process.getuid?.() ?? 0),
  };
}

function one(options: SshOptions, keyword: string): string | undefined {
  return options.get(keyword)?.[0];
}

function defined<K extends keyof SshSettings>(key: K, value: SshSettings[K] | undefined): Partial<SshSettings> {
  return value === undefined ? {} : { [key]: value };
}

function knownHosts(paths: (keyword: string) => string[] | undefined, home: string): string[] | undefined {
  const own = paths("userknownhostsfile");
  const all = paths("globalknownhostsfile");
  if (own === undefined && all === undefined) return undefined;
  return [
    ...(own ?? [`${home}/.ssh/known_hosts`, `${home}/.ssh/known_hosts2`]),
    ...(all ?? ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]),
  ];
}

function agentSocket(value: string, tokens: Record<string, string>, { home, env }: SshQuestion): string | undefined {
  if (value.toLowerCase() === "none") return "none";
  if (value === "SSH_AUTH_SOCK") return env["SSH_AUTH_SOCK"];
  if (value.startsWith("$") && !value.startsWith("${")) return env[value.slice(1)];
  return expandPath(value, tokens, home, env);
}

const policies: Record<string, HostKeyPolicy> = {
  yes: "strict",
  true: "strict",
  // A run asks nobody; unknown keys are listed before it starts.
  ask: "strict",
  "accept-new": "accept-new",
  no: "off",
  false: "off",
  off: "off",
};

function hostKeyPolicy(options: SshOptions): HostKeyPolicy | undefined {
  const value = one(options, "stricthostkeychecking");
  return value === undefined ? undefined : (policies[value.toLowerCase()] ?? wrong("StrictHostKeyChecking", value));
}

function yesOrNo(options: SshOptions, keyword: string): boolean | undefined {
  const value = one(options, keyword)?.toLowerCase();
  return value === undefined ? undefined : value === "yes" || value === "true";
}

function numberOf(options: SshOptions, keyword: string, largest: number): number | undefined {
  const value = one(options, keyword);
  if (value === undefined) return undefined;
  const number = /^\d+$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= largest ? number : wrong("Port", value);
}

const unitSeconds: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A time of ssh_config (sshd_config(5), TIME FORMATS): 90, 90s, 1m30s; `none` and 0 mean "not set" for a timeout. */
function seconds(options: SshOptions, keyword: string): number | undefined {
  const value = one(options, keyword)?.toLowerCase();
  if (value === undefined || value === "none") return undefined;
  if (!/^(\d+[smhdw]?)+$/.test(value)) return wrong(keyword, value);
  const parts = [...value.matchAll(/(\d+)([smhdw]?)/g)];
  const total = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitSeconds[unit ?? ""] ?? 1), 0);
  return keyword === "connecttimeout" && total === 0 ? undefined : total;
}

function wrong(keyword: string, value: string): never {
  throw new FurrowError("E_FILE", {
    what: `ssh_config has a value for ${keyword} that is none`,
    current: `"${value}"`,
    hint: "Correct it; `ssh -G some-host` names the file and the line",
  });
}
