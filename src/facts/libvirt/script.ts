import type { NumberedQuestion } from "../../core/kind.ts";
import { numbered } from "../system/quote.ts";

/** The connection that furrow means: the host's own virtual machines, not those of a user. */
export const connection = "qemu:///system";

/** Shell: true where the domain named in a variable has a process, as its pid file tells. */
export function runsByPid(variable: string): string {
  const file = `"/run/libvirt/qemu/$${variable}.pid"`;
  return `{ [ -r ${file} ] && read -r p <${file} && kill -0 "$p" 2>/dev/null; }`;
}

/**
 * Shell: XML of stdin in one line each, as libvirt prints it: one element a line, indented. A line that does not end in
 * markup is text, and its newline stays as an entity. Sections begin with `@furrow NUMBER NAME`; `pick` is more awk.
 */
const joinLines = `function out() { if (key != "" && key != "info" && buf != "" && !(key == "live" && idle[n])) print n " " key "=" buf; key = ""; buf = "" }
/^@furrow / { out(); n = $2; key = $3; next }
key == "info" { sub(/:/, " "); info[n, $1] = $2; facts(); next }
key == "" { next }
{ if (buf == "" || buf ~ />$/) { sub(/^ +/, ""); buf = buf $0 } else buf = buf "&#10;" $0 }
END { out() }`;

/** How to read things of one sort: networks or domains. */
export interface Listing {
  /** virsh command that lists all names. */
  readonly list: string;
  /** virsh commands about one name, `$k`, in sections. */
  readonly sections: readonly { readonly name: string; readonly command: string }[];
  /** Body of an awk function that prints lines of `info[n, FIELD]` at each of its lines: field `$1`, value `$2`. */
  readonly facts: string;
  /** Shell that tells of `$k` as number `$n` from libvirt's own files, where the daemon does not answer. */
  readonly fromFiles: string;
  /** Shell, run with all lines in `$o`. */
  readonly more: string;
}

/**
 * The script of a kind of libvirt's things. It starts virsh twice for however many names. Without virsh all are absent;
 * where its daemon does not answer, what libvirt keeps in files is told: whether the daemon answers is another fact.
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
