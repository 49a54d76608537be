import type { RepoSection } from "../../src/authoring.ts";
import type { PresentRepo, RepoParams } from "./params.ts";

type AptRepo = Extract<PresentRepo, { readonly manager: "apt" }>;
type RpmRepo = Exclude<PresentRepo, AptRepo>;

/** Where a repository's own files are on the host. */
export function filesOf({ manager, name }: RepoParams): {
  readonly repo: string;
  readonly key: string;
  readonly keys: string;
} {
  const keys = manager === "apt" ? "/etc/apt/keyrings" : "/etc/pki/rpm-gpg";
  const repo = {
    apt: `/etc/apt/sources.list.d/${name}.sources`,
    zypper: `/etc/zypp/repos.d/${name}.repo`,
    dnf: `/etc/yum.repos.d/${name}.repo`,
  }[manager];
  return { repo, keys, key: `${keys}/${name}.asc` };
}

/** The deb822 file (sources.list(5)). */
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

/** The settings of a `.repo` file that params say; a URL that is only written otherwise stays as it is. */
export function repoSettings(p: RpmRepo, now: RepoSection | undefined): Record<string, string> {
  const baseurl = now?.settings["baseurl"];
  return {
    baseurl: baseurl !== undefined && plainUrl(baseurl) === plainUrl(p.url) ? baseurl : p.url,
    enabled: flag(p.enabled),
    gpgcheck: flag(p.gpgCheck),
    ...(p.priority !== undefined && { priority: String(p.priority) }),
    ...(p.manager === "zypper" && { autorefresh: flag(p.autoRefresh) }),
    ...(p.manager === "dnf" && { repo_gpgcheck: flag(p.metadataCheck) }),
    ...(p.manager === "dnf" && p.key !== undefined && { gpgkey: `file://${filesOf(p).key}` }),
  };
}

/** A `.repo` file with one repository; settings that stood there and are not wanted otherwise stay. */
export function repoFile(p: RpmRepo, now: RepoSection | undefined): string {
  const settings = { name: p.name, ...now?.settings, ...repoSettings(p, now) };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  return `[${p.name}]\n${lines.join("")}`;
}

/** zypper writes `file:/srv` for `file:///srv`, and a slash at the end says nothing. */
function plainUrl(url: string): string {
  return url.replace(/^file:\/\/\//, "file:/").replace(/\/$/, "");
}

function flag(value: boolean): string {
  return value ? "1" : "0";
}
