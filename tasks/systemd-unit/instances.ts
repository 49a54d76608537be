import type { HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError, type NumberedQuestion, shellQuote } from "../../src/facts/index.ts";

/** The units that a template, or the drop-ins of a prefix, apply to. */
export interface UnitInstances {
  /** The units that systemd has loaded, and those that start at boot, sorted by name. */
  readonly names: readonly string[];
}

/** True for a template (`a@.service`), from which systemd makes units such as `a@1.service`. */
export function isTemplate(name: string): boolean {
  return /@\.\w+$/.test(name);
}

/**
 * True for a prefix (`user-.slice`), whose drop-ins apply to all units whose names begin with it, such as
 * `user-0.slice`.
 */
export function isPrefix(name: string): boolean {
  return /.-\.\w+$/.test(name);
}

/** Asks for the units of a template or prefix. */
export function unitInstances(name: string): HostFact<UnitInstances> {
  return ask(unitInstancesKind, name);
}

/** The names only: the state of each unit is a separate fact, which other tasks may change. */
export const unitInstancesKind = defineKind<UnitInstances>({
  name: "unitInstances",
  summary: "The loaded and enabled units of a systemd template or prefix",
  facets: {},
  afterBoot: (_key, value) => value,
  read: (questions) => instancesScript(questions),
  parse({ names }, { key }) {
    if (names === undefined)
      throw new FurrowError("E_FACT", { what: `the host did not report which units ${key} has` });
    return { names: names.split(" ").filter(Boolean) };
  },
  print: ({ names }) => ({ names: names.join(" ") }),
});

/**
 * The script for this kind. `systemctl show` with a pattern shows the units that systemd has loaded; an enabled
 * instance need not be among them. `root` is for tests.
 */
export function instancesScript(questions: readonly NumberedQuestion[], root = ""): string {
  const calls = questions.map(({ number, key }) => {
    const pattern = key.replaceAll("\\", "\\\\").replace(/(?=\.\w+$)/, "*");
    return `instances ${number} ${shellQuote(key)} ${shellQuote(pattern)}`;
  });
  return `instances() {
command -v systemctl >/dev/null || { echo "$1 !systemctl is not installed on this host"; return; }
l=$(systemctl show -p Id -- "$3" 2>&1) || { echo "$1 !systemctl show failed: $(printf %s "$l" | tr '\\n' ' ')"; return; }
printf '%s names=' "$1"
{ printf '%s\\n' "$l" | sed -n 's/^Id=//p'
case $2 in *@.*)
for f in ${root}/etc/systemd/system/*.wants/"\${2%.*}"*".\${2##*.}" ${root}/etc/systemd/system/*.requires/"\${2%.*}"*".\${2##*.}" ${root}/etc/systemd/system/*.upholds/"\${2%.*}"*".\${2##*.}"; do
[ ! -L "$f" ] || [ "\${f##*/}" = "$2" ] || printf '%s\\n' "\${f##*/}"
done;;
esac
} | LC_ALL=C sort -u | tr '\\n' ' '
echo
}
${calls.join("\n")}`;
}
