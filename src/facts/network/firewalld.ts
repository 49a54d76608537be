import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Lines } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { numbered } from "../system/quote.ts";

/** A set whose members are the keys; `absent` marks a member that a task has removed. */
export type Members = Readonly<Record<string, true | Absent>>;

/** The traffic that a zone allows, in one of firewalld's two configurations. */
export interface FirewalldZone {
  /** The action for traffic that no rule matches: `default`, `ACCEPT`, `DROP` or `%%REJECT%%`. */
  readonly target: string;
  readonly services: Members;
  /** Ports as firewalld writes them: `443/tcp`, `5000-5010/udp`. */
  readonly ports: Members;
  /** Rich rules as firewalld writes them. */
  readonly rules: Members;
}

/** firewalld on a host, and one of its zones. */
export interface Firewalld {
  /** `failed` means that firewalld is running, but reported an error when it started. */
  readonly daemon: "running" | "stopped" | "failed";
  /** The zone's name; empty if firewalld is not running and the default zone was asked for. */
  readonly zone: string;
  /** The rules in effect now. Absent if firewalld is not running or has no such zone. */
  readonly runtime: Absent | FirewalldZone;
  /** The rules that will be in effect after a reload. Absent if firewalld is not running or has no such zone. */
  readonly permanent: Absent | FirewalldZone;
}

/** Asks about a zone of firewalld; an empty name means the default zone. Absent on a host without firewalld. */
export function firewalld(zone: string): HostFact<Absent | Firewalld> {
  return ask(firewalldKind, zone === "" ? "default zone" : zone);
}

const configurations = ["runtime", "permanent"] as const;

/** firewalld's zones, as `firewall-cmd --list-all` prints them (firewall-cmd(1)). */
export const firewalldKind = defineKind<Absent | Firewalld>({
  name: "firewalld",
  summary: "Whether firewalld is running, and what one of its zones allows now and after a reload",
  facets: {},
  read: (questions) => `words() { tr -s ' ' '\\n' | grep . | LC_ALL=C sort | tr '\\n' ' ' | sed 's/ $//'; }
zone() {
l=$(firewall-cmd $3 --zone="$4" --list-all 2>/dev/null) || { echo "$1 $2=absent"; return; }
field() { printf '%s\\n' "$l" | sed -n "s/^  $1: //p"; }
echo "$1 $2=$(field target)"
echo "$1 $2Services=$(field services | words)"
echo "$1 $2Ports=$(field ports | words)"
echo "$1 $2Rules=$(firewall-cmd $3 --zone="$4" --list-rich-rules 2>/dev/null | grep . | LC_ALL=C sort | base64 | tr -d '\\n')"
}
if ! command -v firewall-cmd >/dev/null; then s=absent
else
firewall-cmd --state >/dev/null 2>&1; c=$?
case $c in 0) s=running;; 251) s=failed;; 252) s=stopped;; *) s=;; esac
fi
for x in ${numbered(questions)}; do
n=\${x%%:*} z=\${x#*:}
case $s in
absent) echo "$n absent=yes"; continue;;
'') echo "$n !firewall-cmd --state failed: $(firewall-cmd --state 2>&1 | tr '\\n' ' ')"; continue;;
stopped) [ "$z" = 'default zone' ] && z=; printf '%s\\n' "$n daemon=$s" "$n zone=$z" "$n runtime=absent" "$n permanent=absent"; continue;;
esac
[ "$z" = 'default zone' ] && z=$(firewall-cmd --get-default-zone)
printf '%s\\n' "$n daemon=$s" "$n zone=$z"
zone "$n" runtime '' "$z"
zone "$n" permanent --permanent "$z"
done`,
  parse(lines) {
    if (lines["absent"] !== undefined) return absent;
    const { daemon, zone } = lines;
    if (daemon === undefined || zone === undefined) {
      throw new FurrowError("E_FACT", { what: "the state of firewalld could not be read" });
    }
    const [runtime = absent, permanent = absent] = configurations.map((name) => parseZone(lines, name));
    return { daemon: daemon as Firewalld["daemon"], zone, runtime, permanent };
  },
  print(value) {
    if (value === absent) return { absent: "yes" };
    const zones = configurations.map((name) => printZone(value[name], name));
    return Object.assign({ daemon: value.daemon, zone: value.zone }, ...zones) as Lines;
  },
});

function parseZone(lines: Lines, name: string): Absent | FirewalldZone {
  const target = lines[name];
  if (target === undefined || target === "absent") return absent;
  const rules = Buffer.from(lines[`${name}Rules`] ?? "", "base64").toString();
  return {
    target,
    services: members((lines[`${name}Services`] ?? "").split(" ")),
    ports: members((lines[`${name}Ports`] ?? "").split(" ")),
    rules: members(rules.split("\n")),
  };
}

function printZone(zone: Absent | FirewalldZone, name: string): Lines {
  if (zone === absent) return { [name]: "absent" };
  const rules = memberNames(zone.rules).map((rule) => `${rule}\n`);
  return {
    [name]: zone.target,
    [`${name}Services`]: memberNames(zone.services).join(" "),
    [`${name}Ports`]: memberNames(zone.ports).join(" "),
    [`${name}Rules`]: Buffer.from(rules.join("")).toString("base64"),
  };
}

function members(names: readonly string[]): Members {
  return Object.fromEntries(names.filter(Boolean).map((name) => [name, true]));
}

/** Returns the members of a set, sorted by their bytes. */
export function memberNames(set: Members): string[] {
  return Object.keys(set)
    .filter((name) => set[name] === true)
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
