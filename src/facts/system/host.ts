import { FurrowError } from "../../core/errors.ts";
import { ask, defineKind, type Lines } from "../../core/facts/kind.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import type { HostFacts } from "../../core/authoring/playbook.ts";

/** Asks for the `facts` that a play receives: the host's system, size and addresses. */
export function hostFacts(): HostFact<HostFacts> {
  return ask(hostKind, "self");
}

const readScript = `osr=; for f in /etc/os-release /usr/lib/os-release; do [ -r "$f" ] && { osr=$f; break; }; done
ID=linux VERSION_ID= ID_LIKE=; [ -n "$osr" ] && . "$osr"
a=; if command -v ip >/dev/null 2>&1; then a=$(ip -o -4 addr show 2>/dev/null | while read -r _ dev _ cidr _; do printf '%s/%s ' "\${dev%%@*}" "$cidr"; done); fi
m=0; while read -r k v _; do [ "$k" = MemTotal: ] && { m=$v; break; }; done </proc/meminfo
p=$(getconf _NPROCESSORS_ONLN 2>/dev/null || grep -c '^processor' /proc/cpuinfo)
if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then kvm=1; else kvm=0; fi
read -r h </proc/sys/kernel/hostname; read -r r </proc/sys/kernel/osrelease`;

/** The host itself: a single fact, for a play's `tasks` function. */
export const hostKind = defineKind<HostFacts>({
  name: "host",
  summary: "The host's operating system, size and addresses",
  facets: {},
  volatile: ["memoryKiB"],
  read: (questions) =>
    questions
      .map(
        ({ number }) => `${readScript}
printf '${number} %s\\n' "addresses=\${a% }" "architecture=$(uname -m)" "hostname=$h" "kernel=$r" "kvm=$kvm" "memoryKiB=$m" "osId=$ID" "osLike=$ID_LIKE" "osVersion=$VERSION_ID" "processors=$p"`,
      )
      .join("\n"),
  parse(lines) {
    const { hostname, osId } = lines;
    if (hostname === undefined || osId === undefined) {
      throw new FurrowError("E_FACT", { what: "the host's operating system could not be determined" });
    }
    return {
      hostname,
      os: {
        id: osId,
        version: lines["osVersion"] ?? "",
        like: [...new Set([osId, ...(lines["osLike"] ?? "").split(" ")])].filter(Boolean),
      },
      architecture: lines["architecture"] ?? "",
      kernel: lines["kernel"] ?? "",
      processors: Number(lines["processors"]),
      memoryBytes: Number(lines["memoryKiB"]) * 1024,
      kvm: lines["kvm"] === "1",
      addresses: parseAddresses(lines["addresses"] ?? ""),
    };
  },
  print(value): Lines {
    const like = value.os.like.filter((id) => id !== value.os.id);
    return {
      addresses: Object.entries(value.addresses)
        .flatMap(([name, list]) => list.map((cidr) => `${name}/${cidr}`))
        .join(" "),
      architecture: value.architecture,
      hostname: value.hostname,
      kernel: value.kernel,
      kvm: value.kvm ? "1" : "0",
      memoryKiB: String(value.memoryBytes / 1024),
      osId: value.os.id,
      osLike: like.join(" "),
      osVersion: value.os.version,
      processors: String(value.processors),
    };
  },
});

function parseAddresses(text: string): Record<string, string[]> {
  const addresses: Record<string, string[]> = {};
  for (const word of text.split(" ").filter(Boolean)) {
    const at = word.indexOf("/");
    (addresses[word.slice(0, at)] ??= []).push(word.slice(at + 1));
  }
  return addresses;
}
