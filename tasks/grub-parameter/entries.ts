import type { HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError, type NumberedQuestion, shellQuote } from "../../src/facts/index.ts";

/** A kernel parameter in GRUB's own configuration and in the running kernel. */
export interface GrubEntries {
  /**
   * The program that generates GRUB's configuration; `bls`: the entries are in separate files (Boot Loader
   * Specification); `none`: the host has no such program or no configuration.
   */
  readonly program: "update-grub" | "grub2-mkconfig" | "bls" | "none";
  /** GRUB's configuration. */
  readonly config: string;
  /** The number of entries that start this system's kernels. */
  readonly entries: number;
  /** True if every entry in question has exactly the wanted words for the parameter. */
  readonly right: boolean;
  /** The words for the parameter on the running kernel's command line. */
  readonly running: string;
  /**
   * The lines of /etc/default/grub.d that set a variable with kernel parameters, in the order in which GRUB reads them.
   */
  readonly later: readonly LaterLine[];
}

/** A line of a file in /etc/default/grub.d, which GRUB reads after /etc/default/grub. */
export interface LaterLine {
  readonly file: string;
  readonly line: string;
}

/** The question: the parameter's words, and the entries that must have them. */
export interface GrubQuestion {
  readonly name: string;
  readonly words: readonly string[];
  readonly variable: string;
}

/** Reads a kernel parameter from GRUB's configuration. */
export function grubEntries({ name, words, variable }: GrubQuestion): HostFact<GrubEntries> {
  return ask(grubEntriesKind, JSON.stringify([name.replaceAll("-", "_"), words.join(" "), variable]));
}

/**
 * The entries in GRUB's configuration that 10_linux generates: entries for other systems and the administrator's own
 * are left out. Debian's update-grub writes /boot/grub/grub.cfg (update-grub(8)); SUSE's grub2-mkconfig writes
 * /boot/grub2/grub.cfg, for both BIOS and UEFI (Administration Guide of SLES 15, "The boot loader GRUB 2"). The path of
 * Red Hat's file differs between releases, so Red Hat's packages contain links to the file: /etc/grub2.cfg and, for
 * UEFI, /etc/grub2-efi.cfg.
 */
export const grubEntriesKind = defineKind<GrubEntries>({
  name: "grubParameter",
  summary: "Whether all entries of GRUB's configuration have a kernel parameter, and whether the running kernel has it",
  facets: {},
  volatile: ["running"],
  read: (questions) => entriesScript(questions),
  parse(lines, { key }) {
    const { program, config, entries, right, running, later } = lines;
    if (program === undefined) throw new FurrowError("E_FACT", { what: `${key} could not be read` });
    return {
      program: program as GrubEntries["program"],
      config: config ?? "",
      entries: Number(entries),
      right: right === "yes",
      running: running ?? "",
      later: Array.from({ length: Number(later) }, (_, at) => {
        const [file = "", line = ""] = (lines[`later:${at + 1}`] ?? "").split("\t");
        return { file, line };
      }),
    };
  },
  print: (value) => ({
    config: value.config,
    entries: String(value.entries),
    later: String(value.later.length),
    ...Object.fromEntries(value.later.map(({ file, line }, at) => [`later:${at + 1}`, `${file}\t${line}`])),
    program: value.program,
    right: value.right ? "yes" : "no",
    running: value.running,
  }),
});

/**
 * The script for this kind. 10_linux also adds the words of GRUB_CMDLINE_LINUX_RECOVERY to recovery entries. It sets
 * some of these words itself, such as `nomodeset` on Ubuntu. These words do not count. `root` is for tests.
 */
export function entriesScript(questions: readonly NumberedQuestion[], root = ""): string {
  const words = questions.flatMap(({ number, key }) => [String(number), ...(JSON.parse(key) as string[])]);
  return String.raw`PATH=$PATH:/usr/sbin:/sbin
P=none C=
if command -v update-grub >/dev/null; then P=update-grub C=/boot/grub/grub.cfg
elif command -v grub2-mkconfig >/dev/null; then
P=grub2-mkconfig C=/boot/grub2/grub.cfg l=/etc/grub2.cfg
[ ! -d ${root}/sys/firmware/efi ] || l=/etc/grub2-efi.cfg
if [ -L ${root}"$l" ]; then
t=$(readlink ${root}"$l")
case $t in /*) C=$t;; ../*) C=/${"${t#../}"};; esac
fi
if grep -qs '^[[:space:]]*blscfg' ${root}"$C" || grep -qs "^[[:space:]]*GRUB_ENABLE_BLSCFG=[\"']*true" ${root}/etc/default/grub; then P=bls; fi
fi
[ $P = bls ] || [ -e ${root}"$C" ] && [ -e ${root}/etc/default/grub ] || P=none
c=; [ ! -r ${root}/proc/cmdline ] || read -r c <${root}/proc/cmdline
set --
for f in ${root}/etc/default/grub.d/*.cfg; do [ ! -f "$f" ] || set -- "$@" "$f"; done
L=; [ $# -eq 0 ] || L=$(awk -v root=${shellQuote(root)} '
/^[ \t]*#/ || !/(^|[^A-Za-z0-9_$])GRUB_CMDLINE_LINUX(_DEFAULT)?\+?=/ { next }
{ gsub(/\t/, " "); sub(/^ +/, ""); print substr(FILENAME, length(root) + 1) "\t" $0 }' "$@") || L='!'
for f in ${root}/etc/grub.d/10_linux ${root}/etc/default/grub; do [ ! -f "$f" ] || set -- "$f" "$@"; done
R=; [ $# -eq 0 ] || R=$(sed -n 's/^[^#]*GRUB_CMDLINE_LINUX_RECOVERY+\{0,1\}=//p' "$@" | tr "\"';\n" '    ')
set -- ${words.map(shellQuote).join(" ")}
while [ $# -gt 0 ]; do
n=$1
[ "$L" != '!' ] || echo "$n !/etc/default/grub.d cannot be read"
printf '%s\n' "$n config=$C" "$n program=$P"
printf '%s\n' "$L" | awk -v n="$n" '$0 != "" { print n " later:" ++many "=" $0 } END { print n " later=" many + 0 }'
f=/dev/null; case $P in update-grub|grub2-mkconfig) f=${root}$C;; esac
awk -v n="$n" -v name="$2" -v wanted="$3" -v variable="$4" -v running="$c" -v added="$R" '
function fits(found,  rest, at, i, count, word) {
if (found == wanted) return 1
rest = " " found " "; at = index(rest, " " wanted " ")
if (wanted != "") { if (!at) return 0; rest = substr(rest, 1, at) substr(rest, at + length(wanted) + 1) }
count = split(rest, word, " ")
for (i = 1; i <= count; i++) if (!index(" " added " ", " " word[i] " ")) return 0
return recovery
}
function of(text,  i, count, word, key, out) {
count = split(text, word, " ")
for (i = 1; i <= count; i++) { key = word[i]; sub(/=.*/, "", key); gsub(/-/, "_", key); if (key == name) out = out (out == "" ? "" : " ") word[i] }
return out
}
/^### BEGIN .*\/10_linux ###/ { own = 1 }
/^### END / { own = 0 }
!own { next }
/^[ \t]*menuentry / { recovery = ($0 ~ /-recovery-|\(recovery mode\)/) }
/^[ \t]*linux(16|efi)?[ \t]/ {
entries++
if (recovery && variable == "GRUB_CMDLINE_LINUX_DEFAULT") next
$1 = ""; $2 = ""
if (!fits(of($0))) wrong++
}
END { print n " entries=" entries + 0; print n " right=" (wrong || !entries ? "no" : "yes"); print n " running=" of(running) }' "$f" || echo "$n !$C cannot be read"
shift 4
done`;
}
