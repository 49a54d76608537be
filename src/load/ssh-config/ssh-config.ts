import { FurrowError } from "../../core/errors.ts";
import type { HostKeyPolicy } from "../../core/host/transport.ts";
import type { SshSettings } from "../inventory/address.ts";
import { servicePort } from "../inventory/service-port.ts";
import type { Statement } from "./lines.ts";
import { hostNameOf, optionsFor, type SshOptions, type SshQuestion, tokensFor } from "./options.ts";
import { expandHome, expandPath, expandTokens, type Tokens } from "./tokens.ts";

/**
 * Converts the ssh_config options for a host to furrow's settings. Reads HostName, User, Port, IdentityFile,
 * CertificateFile, IdentitiesOnly, IdentityAgent, ProxyJump, ProxyCommand, StrictHostKeyChecking, HostKeyAlias,
 * UserKnownHostsFile, GlobalKnownHostsFile, RevokedHostKeys, ConnectTimeout, ServerAliveInterval and
 * ServerAliveCountMax. `configuration` contains the files in order of precedence. Throws E_FILE for an invalid value.
 */
export function sshSettings(configuration: readonly (readonly Statement[])[], question: SshQuestion): SshSettings {
  const options = optionsFor(configuration, question);
  const address = hostNameOf(options, question.name).toLowerCase();
  const port = portOf(options);
  const tokens = tokensFor(options, question);
  const said = (keyword: string): string[] | undefined =>
    options.get(keyword)?.filter((word) => word.toLowerCase() !== "none");
  const paths = (keyword: string): string[] | undefined =>
    said(keyword)?.map((path) => expandPath(path, tokens, question.home, question.env));
  const ownKnownHosts = paths("userknownhostsfile");
  const agent = one(options, "identityagent");
  const proxyJump = one(options, "proxyjump");
  const proxyCommand = one(options, "proxycommand");
  return {
    ...defined("address", address === question.name ? undefined : address),
    ...defined("user", one(options, "user")),
    ...defined("port", port),
    ...defined("identityFiles", paths("identityfile")),
    ...defined("certificateFiles", paths("certificatefile")),
    ...defined("identitiesOnly", yesOrNo(options, "identitiesonly")),
    ...defined("agent", agent === undefined ? undefined : agentSocket(agent, tokens, question)),
    ...defined(
      "proxyJump",
      proxyJump === undefined ? undefined : expandTokens(proxyJump, tokensFor(options, question, "hnpr")),
    ),
    ...defined("proxyCommand", proxyCommand?.toLowerCase() === "none" ? undefined : proxyCommand),
    ...defined("hostKeyPolicy", hostKeyPolicy(options)),
    ...defined("hostKeyAlias", one(options, "hostkeyalias")),
    ...defined(
      "knownHostsFiles",
      knownHosts(
        ownKnownHosts,
        said("globalknownhostsfile")?.map((path) => expandHome(path, question.home)),
        question.home,
      ),
    ),
    ...defined("newHostKeysFile", newHostKeysFile(ownKnownHosts, options, question.home)),
    ...defined("revokedKeysFile", paths("revokedhostkeys")?.[0]),
    ...defined("connectTimeoutSeconds", seconds(options, "connecttimeout")),
    ...defined("keepaliveSeconds", seconds(options, "serveraliveinterval")),
    ...defined("keepaliveCount", numberOf(options, "serveralivecountmax", 0, 1000)),
  };
}

function one(options: SshOptions, keyword: string): string | undefined {
  return options.get(keyword)?.[0];
}

function defined<K extends keyof SshSettings>(key: K, value: SshSettings[K] | undefined): Partial<SshSettings> {
  return value === undefined ? {} : { [key]: value };
}

function knownHosts(own: string[] | undefined, all: string[] | undefined, home: string): readonly string[] | undefined {
  if (own === undefined && all === undefined) return undefined;
  return [
    ...(own ?? [`${home}/.ssh/known_hosts`, `${home}/.ssh/known_hosts2`]),
    ...(all ?? ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]),
  ];
}

/** The file to which ssh adds new keys; undefined if ssh_config does not set it, or sets it to `none`. */
function newHostKeysFile(own: string[] | undefined, options: SshOptions, home: string): string | undefined {
  if (own !== undefined) return own[0];
  return options.has("globalknownhostsfile") ? `${home}/.ssh/known_hosts` : undefined;
}

function agentSocket(value: string, tokens: Tokens, { home, env }: SshQuestion): string {
  if (value.toLowerCase() === "none") return "none";
  if (value === "SSH_AUTH_SOCK") return env["SSH_AUTH_SOCK"] ?? "none";
  if (value.startsWith("$") && !value.startsWith("${")) return env[value.slice(1)] ?? "none";
  return expandPath(value, tokens, home, env);
}

const policies: Record<string, HostKeyPolicy> = {
  yes: "strict",
  true: "strict",
  // A run does not ask questions; unknown keys are listed before the run starts.
  ask: "strict",
  "accept-new": "accept-new",
  no: "off",
  false: "off",
  off: "off",
};

function hostKeyPolicy(options: SshOptions): HostKeyPolicy | undefined {
  const value = one(options, "stricthostkeychecking");
  return value === undefined ? undefined : (policies[value.toLowerCase()] ?? wrong("stricthostkeychecking", value));
}

function yesOrNo(options: SshOptions, keyword: string): boolean | undefined {
  const value = one(options, keyword)?.toLowerCase();
  if (value === undefined || value === "yes" || value === "true") return value === undefined ? undefined : true;
  return value === "no" || value === "false" ? false : wrong(keyword, value);
}

function portOf(options: SshOptions): number | undefined {
  const name = one(options, "port");
  const service = name === undefined ? undefined : servicePort(name);
  return service ?? numberOf(options, "port", 1, 65_535);
}

function numberOf(options: SshOptions, keyword: string, least: number, largest: number): number | undefined {
  const value = one(options, keyword);
  if (value === undefined) return undefined;
  const number = /^\d+$/.test(value) ? Number(value) : -1;
  return number >= least && number <= largest ? number : wrong(keyword, value);
}

const unitSeconds: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/**
 * A time in seconds (sshd_config(5), TIME FORMATS: 90, 90s, 1m30s). `none` and a ConnectTimeout of 0 count as unset.
 */
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
    what: `ssh_config has an invalid value for ${spelt[keyword] ?? keyword}`,
    current: `"${value}"`,
    hint: "Fix it; `ssh -G some-host` names the file and the line",
  });
}

const spelt: Readonly<Record<string, string>> = {
  port: "Port",
  identitiesonly: "IdentitiesOnly",
  stricthostkeychecking: "StrictHostKeyChecking",
  connecttimeout: "ConnectTimeout",
  serveraliveinterval: "ServerAliveInterval",
  serveralivecountmax: "ServerAliveCountMax",
};
