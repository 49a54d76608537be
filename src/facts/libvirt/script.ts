import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { numbered } from "../system/quote.ts";

/** The libvirt connection that furrow uses. It shows the system's virtual machines, not a user's own. */
export const connection = "qemu:///system";

/** A shell command that succeeds if the domain named in a variable has a process, according to its pid file. */
export function runsByPid(variable: string): string {
  const file = `"/run/libvirt/qemu/$${variable}.pid"`;
  return `{ [ -r ${file} ] && read -r p <${file} && kill -0 "$p" 2>/dev/null; }`;
}

/**
 * An awk program that joins each XML document on stdin into one line. libvirt prints one element per line, indented. If
 * a line does not end in markup, it ends in text, and its newline is kept as an entity. Sections begin with `@furrow
 * NUMBER NAME`; `facts` is an awk function that the caller provides.
 */
const joinLines = `function out() { if (key != "" && key != "info" && buf != "" && !(key == "live" && idle[n])) print n " " key "=" buf; key = ""; buf = "" }
/^@furrow / { out(); n = $2; key = $3; next }
key == "info" { sub(/:/, " "); info[n, $1] = $2; facts(); next }
key == "" { next }
{ if (buf == "" || buf ~ />$/) { sub(/^ +/, ""); buf = buf $0 } else buf = buf "&#10;" $0 }
END { out() }`;

/** How to read libvirt objects of one type (networks or domains). */
export interface Listing {
  /** The virsh command that lists all names. */
  readonly list: string;
  /** The virsh commands that read the object named `$k`, by section. */
  readonly sections: readonly { readonly name: string; readonly command: string }[];
  /**
   * The body of an awk function that is called for each line of an info section, with the field in `$1` and the value
   * in `$2`.
   */
  readonly facts: string;
  /** Shell text that prints facts about `$k`, numbered `$n`, from libvirt's own files if the daemon does not answer. */
  readonly fromFiles: string;
  /** Shell text that runs at the end, with all lines in `$o`. */
  readonly more: string;
}

/**
 * The script of a libvirt kind. It starts virsh twice, regardless of the number of names. If virsh is not installed,
 * all objects are absent. If the daemon does not answer, the script reads libvirt's own files; whether the daemon
 * answers is a separate fact.
 */
export function virshScript(questions: readonly NumberedQuestion[], listing: Listing): string {
  const batch = listing.sections.map(({ name, command }) => `echo @furrow $n ${name};${command}`).join(";");
  return `set -- ${numbered(questions)}
command -v virsh >/dev/null || { for x; do echo "\${x%%:*} state=absent"; done; exit 0; }
join() { awk '
function facts() { ${listing.facts} }
${joinLines}'; }
yes() { if [ "$@" ]; then echo yes; else echo no; fi; }
if l=$(virsh -c ${connection} '${listing.list}' 2>&1 </dev/null); then
b=
for x; do n=\${x%%:*} k=\${x#*:}
if printf '%s\\n' "$l" | sed 's/^ *//;s/ *$//' | grep -qxF -- "$k"; then b="$b;${batch}"
else echo "$n state=absent"; fi
done
[ -n "$b" ] && o=$(virsh -c ${connection} "\${b#;}" 2>/dev/null </dev/null | join)
else
o=$(for x; do n=\${x%%:*} k=\${x#*:}
${listing.fromFiles}
done | join)
fi
[ -n "$o" ] || exit 0
{ printf '%s\\n' "$o"
${listing.more}
} | sort`;
}
