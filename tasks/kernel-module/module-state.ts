import type { HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError, type Lines, type NumberedQuestion, numbered } from "../../src/facts/index.ts";
import { configFolder, ownPrefix } from "./own-files.ts";
import { usersFunction, usersOfModule } from "./module-users.ts";

/** A module of the running kernel. */
export interface ModuleState {
  /** `builtin`: compiled into the kernel itself; `missing`: this kernel does not have it. */
  readonly state: "loaded" | "builtin" | "unloaded" | "missing";
  /** The running kernel, as `uname -r` prints it. */
  readonly kernel: string;
  /** False if the host has no list of this kernel's modules and therefore cannot load any. */
  readonly listed: boolean;
  /** True if the kernel neither loads nor unloads modules until the next boot (kernel.modules_disabled). */
  readonly locked: boolean;
  /**
   * The running kernel's initramfs, if it is older than furrow's own file about the module in modprobe.d: its copy of
   * that file is then missing or outdated. Otherwise empty.
   */
  readonly staleInitramfs: string;
  /** The loaded modules that use it. */
  readonly holders: readonly string[];
  /** Its use count, by modules and by others; -1 if this kernel cannot unload modules. */
  readonly references: number;
  /** Its readable parameters and their values; empty unless the facet `parameters` was asked for. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The network interfaces that it drives and that are up or have an address; empty unless `users` was asked for. */
  readonly interfaces: readonly string[];
  /** The disks that it drives and that have a mount, swap or a device on top; empty unless `users` was asked for. */
  readonly disks: readonly string[];
}

/** The name of a module as the kernel shows it: `-` and `_` are equivalent in module names (modprobe(8)). */
export function moduleName(name: string): string {
  return name.replaceAll("-", "_");
}

/** Asks for the state of a module in the running kernel. */
export function moduleState(name: string, facets: readonly ("parameters" | "users")[] = []): HostFact<ModuleState> {
  return ask(moduleStateKind, moduleName(name), facets);
}

/**
 * Modules, from /sys/module and depmod's lists. A module that was loaded has the file `initstate`; one that is built in
 * does not, and has a folder only if it has parameters or a version, so `modules.builtin` is read too. After a
 * reboot, a different kernel may be running.
 */
export const moduleStateKind = defineKind<ModuleState>({
  name: "kernelModule",
  summary: "Whether a kernel module is loaded or built in, and what uses it",
  facets: {
    parameters: "the values of its parameters",
    users: "the network interfaces and disks that it drives and that are in use",
  },
  volatile: ["holders", "references", "staleInitramfs"],
  unwatched: ["disks", "holders", "interfaces", "references", "staleInitramfs"],
  read: (questions) => stateScript(questions),
  parse(lines, { key }) {
    const { state, kernel } = lines;
    if (state === undefined || kernel === undefined) {
      throw new FurrowError("E_FACT", { what: `the state of the kernel module ${key} could not be read` });
    }
    return {
      state: state as ModuleState["state"],
      kernel,
      listed: lines["listed"] === "yes",
      locked: lines["locked"] === "yes",
      staleInitramfs: lines["staleInitramfs"] ?? "",
      holders: words(lines["holders"]),
      references: Number(lines["references"]),
      parameters: Object.fromEntries(
        Object.entries(lines).flatMap(([name, value]) =>
          name.startsWith("parameter:") ? [[name.slice("parameter:".length), value]] : [],
        ),
      ),
      interfaces: words(lines["interfaces"]),
      disks: words(lines["disks"]),
    };
  },
  print: (value): Lines => ({
    ...(value.disks.length > 0 && { disks: value.disks.join(" ") }),
    holders: value.holders.join(" "),
    ...(value.interfaces.length > 0 && { interfaces: value.interfaces.join(" ") }),
    kernel: value.kernel,
    listed: value.listed ? "yes" : "no",
    locked: value.locked ? "yes" : "no",
    ...Object.fromEntries(Object.entries(value.parameters).map(([name, text]) => [`parameter:${name}`, text])),
    references: String(value.references),
    ...(value.staleInitramfs !== "" && { staleInitramfs: value.staleInitramfs }),
    state: value.state,
  }),
});

function words(line = ""): readonly string[] {
  return line.split(" ").filter(Boolean);
}

/**
 * The script for this kind. A single awk process reads both lists for all questions. The paths of an initramfs are
 * those of Debian, the Red Hat family and SUSE. `root` is for tests.
 */
export function stateScript(questions: readonly NumberedQuestion[], root = ""): string {
  const names = questions.map(({ key }) => key).join(" ");
  const asking = (facet: string): string =>
    questions.flatMap(({ facets, number }) => (facets.includes(facet) ? [number] : [])).join(" ");
  const used = asking("users");
  return `${used === "" ? "" : `${usersFunction(root)}\nU=$(users)\n`}r=$(uname -r) d=${root}/lib/modules/$(uname -r)
set --
for f in modules.dep modules.builtin; do [ -r "$d/$f" ] && set -- "$@" "$d/$f"; done
c=no; [ -r "$d/modules.dep" ] && c=yes
k=; [ $# -eq 0 ] || k=$(awk -v asked='${names.replaceAll(/[^\w ]/g, "")}' '
BEGIN { count = split(asked, list, " "); for (i = 1; i <= count; i++) want[list[i]] = 1 }
{ name = $1; sub(/:$/, "", name); sub(/.*\\//, "", name); sub(/\\.ko.*$/, "", name); gsub(/-/, "_", name)
if (name in want) print (FILENAME ~ /builtin$/ ? "builtin" : "file") ":" name }' "$@")
l=no w=; [ -r ${root}/proc/sys/kernel/modules_disabled ] && read -r w <${root}/proc/sys/kernel/modules_disabled
[ "$w" = 1 ] && l=yes
for x in ${numbered(questions)}; do
n=\${x%%:*} x=\${x#*:} h= u=0
case "
$k
" in
*"
builtin:$x
"*) s=builtin;;
*"
file:$x
"*) s=unloaded;;
*) s=missing;;
esac
p=${root}/sys/module/$x
if [ -r "$p/initstate" ]; then
i=; read -r i <"$p/initstate"
[ "$i" = live ] || { echo "$n !the kernel module $x is being loaded or unloaded: its state is \\"$i\\""; continue; }
s=loaded u=-1
[ -r "$p/refcnt" ] && read -r u <"$p/refcnt"
for o in "$p"/holders/*; do [ -e "$o" ] && h="$h \${o##*/}"; done
elif [ -d "$p" ]; then s=builtin
fi
printf '%s\\n' "$n holders=\${h# }" "$n kernel=$r" "$n listed=$c" "$n locked=$l" "$n references=$u" "$n state=$s"
for f in "${root}/boot/initrd.img-$r" "${root}/boot/initramfs-$r.img" "${root}/boot/initrd-$r"; do
[ -e "$f" ] && [ "${root}${configFolder}/${ownPrefix}$x.conf" -nt "$f" ] && { echo "$n staleInitramfs=\${f#"${root}"}"; break; }
done
${
  used === ""
    ? ""
    : `case " ${used} $U " in
*" $n "*" ! ") echo "$n !/proc/self/mountinfo cannot be read"; continue;;
*" $n "*)
${usersOfModule}
[ -z "$i" ] || echo "$n interfaces=\${i# }"
[ -z "$j" ] || echo "$n disks=\${j# }";;
esac
`
}case " ${asking("parameters")} " in *" $n "*) ;; *) continue;; esac
for o in "$p"/parameters/*; do
v=; { IFS= read -r v <"$o"; } 2>/dev/null; [ -z "$v" ] || echo "$n parameter:\${o##*/}=$v"
done
done`;
}
