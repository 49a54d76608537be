import { command } from "../machine/shell.ts";

/** The Debian release of every lab host. */
export const labRelease = "bookworm";

/** The package sources for building images and for the hosts. */
export interface AptSources {
  /** One-line entries of a sources.list. */
  readonly lines: readonly string[];
  /** The apt.conf lines that this machine itself needs to reach its mirror, such as a proxy or disabled date checks. */
  readonly options: readonly string[];
  /** The machine's own HTTP proxy, if it has one. */
  readonly proxy: string | undefined;
}

/**
 * Finds the machine's own mirrors for the lab's release, or uses Debian's if the machine runs another release. It asks
 * apt (`apt-get indextargets`), so every format of sources files works.
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

/** The mirrors in these sources, as URLs without a trailing slash. */
export function mirrorsOf(sources: AptSources): string[] {
  return [...new Set(sources.lines.map((line) => line.split(" ").find((word) => word.includes("://")) ?? ""))];
}

const debianLines: readonly string[] = [
  `deb http://deb.debian.org/debian ${labRelease} main`,
  `deb http://deb.debian.org/debian ${labRelease}-updates main`,
  `deb http://deb.debian.org/debian-security ${labRelease}-security main`,
];

/** apt's settings below Acquire, as printed by `apt-config dump`. */
async function aptConfig(): Promise<ReadonlyMap<string, string>> {
  const dump = await command(["apt-config", "dump", "Acquire"], { allowFailure: true });
  const entries = dump.stdout.matchAll(/^(\S+) "(.*)";$/gm);
  return new Map([...entries].map(([, name, value]) => [name ?? "", value ?? ""]));
}
