import { command } from "../machine/shell.ts";

/** The Debian release of every lab host. */
export const labRelease = "bookworm";

/** The package sources, for building images and for the hosts. */
export interface AptSources {
  /** One-line entries of a sources.list. */
  readonly lines: readonly string[];
  /** Lines of apt.conf that the machine itself needs to reach its mirror: no date checks, a proxy. */
  readonly options: readonly string[];
  /** The machine's own proxy for http, if it has one. */
  readonly proxy: string | undefined;
}

/**
 * The machine's own mirrors of the lab's release, or Debian's if the machine runs another release. It asks apt itself
 * (`apt-get indextargets`), so every format of a sources file works.
 */
export async function aptSources(): Promise<AptSources> {
  const format = "$(CODENAME)|$(LABEL)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)";
  const targets = await command(["apt-get", "indextargets", "--format", format, "Created-By: Packages"], {
    allowFailure: true,
  });
  const lines = new Map<string, string[]>();
  for (const target of targets.stdout.split("\n")) {
    const [codename, label, uri, release, component] = target.split("|");
    if (!uri || !release || !component || !label?.startsWith("Debian") || !codename?.startsWith(labRelease)) continue;
    if (!release.startsWith(labRelease)) continue;
    const key = `deb ${uri.replace(/\/$/, "")} ${release}`;
    lines.set(key, [...(lines.get(key) ?? []), component]);
  }
  const own = [...lines].map(([key, components]) => `${key} ${[...new Set(components)].join(" ")}`);
  const config = await aptConfig();
  return {
    lines: own.length > 0 ? own : debianLines,
    options: ["Check-Valid-Until", "Check-Date"]
      .filter((name) => config.get(`Acquire::${name}`) === "false")
      .map((name) => `Acquire::${name} "false";`),
    proxy: config.get("Acquire::http::Proxy"),
  };
}

/** The mirrors of these sources, as URLs without a trailing slash. */
export function mirrorsOf(sources: AptSources): string[] {
  return [...new Set(sources.lines.map((line) => line.split(" ").find((word) => word.includes("://")) ?? ""))];
}

const debianLines: readonly string[] = [
  `deb http://deb.debian.org/debian ${labRelease} main`,
  `deb http://deb.debian.org/debian ${labRelease}-updates main`,
  `deb http://deb.debian.org/debian-security ${labRelease}-security main`,
];

/** The output of `apt-config dump` below Acquire. */
async function aptConfig(): Promise<ReadonlyMap<string, string>> {
  const dump = await command(["apt-config", "dump", "Acquire"], { allowFailure: true });
  const entries = dump.stdout.matchAll(/^(\S+) "(.*)";$/gm);
  return new Map([...entries].map(([, name, value]) => [name ?? "", value ?? ""]));
}
