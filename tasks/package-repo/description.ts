import { FurrowError, mapTexts } from "../../src/authoring.ts";
import type { RepoSection } from "../../src/facts/catalogue.ts";
import type { PresentRepo, RepoParams } from "./params.ts";

type AptRepo = Extract<PresentRepo, { readonly manager: "apt" }>;
type RpmRepo = Exclude<PresentRepo, AptRepo>;

/**
 * Returns the paths of a repository's own files on the host: its description, its key, and the file with its password.
 */
export function filesOf({ manager, name }: RepoParams): {
  readonly repo: string;
  readonly key: string;
  readonly keys: string;
  readonly login: string;
} {
  const keys = manager === "apt" ? "/etc/apt/keyrings" : "/etc/pki/rpm-gpg";
  const repo = {
    apt: `/etc/apt/sources.list.d/${name}.sources`,
    zypper: `/etc/zypp/repos.d/${name}.repo`,
    dnf: `/etc/yum.repos.d/${name}.repo`,
  }[manager];
  const login = {
    apt: `/etc/apt/auth.conf.d/${name}.conf`,
    zypper: `/etc/zypp/credentials.d/${name}`,
    dnf: `/etc/dnf/vars/${passwordVariable(name)}`,
  }[manager];
  return { repo, keys, key: `${keys}/${name}.asc`, login };
}

/**
 * Returns the content of the file with the password: apt_auth.conf(5) for apt, a libzypp credentials file for zypper,
 * and for dnf a dnf.conf(5) variable, to which the description refers. Undefined if no login is wanted. Throws E_PARAMS
 * if the resolved password contains whitespace.
 */
export function loginFile(p: PresentRepo): string | undefined {
  if (p.login === undefined) return undefined;
  const { user } = p.login;
  return mapTexts([String(p.login.password)], ([password]) => {
    if (/\s/.test(password)) {
      throw new FurrowError("E_PARAMS", {
        what: `the password of the package repository ${p.name} contains whitespace, which ${p.manager} cannot read`,
        hint: "Choose a password without spaces, tabs or line breaks; a line break added by a file or program counts too",
      });
    }
    if (p.manager === "dnf") return `${password}\n`;
    if (p.manager === "zypper") return `username=${user}\npassword=${password}\n`;
    return servers(p)
      .map((server) => `machine ${server} login ${user} password ${password}\n`)
      .join("");
  });
}

/**
 * Returns the HTTP URLs for which apt uses the password. Each ends with a slash; without it, the URL would also match
 * longer host names.
 */
function servers({ uris }: AptRepo): string[] {
  return uris.filter(isHttp).map((uri) => `${uri.replace(/^mirror\+/, "").replace(/\/*$/, "")}/`);
}

/** True if the repository is reached over HTTP, so a server can ask for a password. */
export function asksByHttp(p: PresentRepo): boolean {
  return p.manager === "apt" ? p.uris.some(isHttp) : isHttp(p.url);
}

function isHttp(url: string): boolean {
  return /^(mirror\+)?https?:/.test(url);
}

/**
 * Returns the name of the dnf variable with the password. Names of dnf variables consist of letters, digits and
 * underscores.
 */
function passwordVariable(name: string): string {
  return `furrow_${name.replaceAll(/\W/g, "_")}_password`;
}

/** Returns the text of the deb822 file (sources.list(5)). */
export function aptSources(p: AptRepo): string {
  const fields = [
    ["Types", "deb"],
    ["URIs", p.uris.join(" ")],
    ["Suites", p.suites.join(" ")],
    ["Components", p.components.join(" ")],
    ["Architectures", p.architectures?.join(" ") ?? ""],
    ["Signed-By", p.key === undefined ? "" : filesOf(p).key],
    ["Trusted", p.trusted ? "yes" : ""],
  ] as const;
  return fields.flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}\n`])).join("");
}

/**
 * Returns the settings that the params require in a `.repo` file. A URL that the file spells differently keeps the
 * file's spelling.
 */
export function repoSettings(p: RpmRepo, now: RepoSection | undefined): Record<string, string> {
  const baseurl = now?.settings["baseurl"];
  const named = `${p.url.includes("?") ? "&" : "?"}credentials=${p.name}`;
  const url = p.manager === "zypper" && p.login !== undefined ? `${p.url}${named}` : p.url;
  return {
    baseurl: baseurl !== undefined && plainUrl(baseurl) === plainUrl(url) ? baseurl : url,
    enabled: flag(p.enabled),
    gpgcheck: flag(p.gpgCheck),
    ...(p.priority !== undefined && { priority: String(p.priority) }),
    ...(p.manager === "zypper" && { autorefresh: flag(p.autoRefresh) }),
    ...(p.manager === "dnf" && { repo_gpgcheck: flag(p.metadataCheck) }),
    ...(p.manager === "dnf" &&
      p.login !== undefined && { username: p.login.user, password: `$${passwordVariable(p.name)}` }),
    ...(p.manager === "dnf" && p.key !== undefined && { gpgkey: `file://${filesOf(p).key}` }),
  };
}

/**
 * Returns the text of a `.repo` file with one repository. Existing settings that the params do not mention are kept.
 */
export function repoFile(p: RpmRepo, now: RepoSection | undefined): string {
  const settings = { name: p.name, ...now?.settings, ...repoSettings(p, now) };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  return `[${p.name}]\n${lines.join("")}`;
}

/**
 * Returns a URL in a canonical spelling: zypper writes `file:/srv` for `file:///srv`, and a final slash makes no
 * difference.
 */
function plainUrl(url: string): string {
  return url.replace(/^file:\/\/\//, "file:/").replace(/\/$/, "");
}

function flag(value: boolean): string {
  return value ? "1" : "0";
}
