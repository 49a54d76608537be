import { indexFolder, type ManagerName, offerFunctions, type Step } from "../../src/authoring.ts";
import { actions } from "./actions.ts";
import { waiting } from "./waiting.ts";

/** One package transaction. */
export interface Transaction {
  readonly manager: ManagerName;
  /** `refresh` only fetches the index. */
  readonly action: "install" | "remove" | "refresh";
  /** Names, or `NAME=VERSION` where a version is wanted, older ones included. */
  readonly packages?: readonly string[];
  /** Fetch the index first; a repository that cannot be reached then is no failure by itself. */
  readonly refreshFirst?: boolean;
  /** Whether weak dependencies come too; undefined leaves that to the manager. */
  readonly recommends?: boolean | undefined;
  /** Seconds to wait for others that use the package database. */
  readonly waitSeconds: number;
  readonly label: string;
}

/**
 * Exit codes that are a success. Those above 99 are zypper's (zypper(8)): 100 and 101 patches are needed, 102 reboot
 * needed, 103 restart of the package manager needed, 106 a repository was skipped, 107 a script of a package failed.
 */
export const okExit = [0, 100, 101, 102, 103, 106, 107] as const;

/**
 * A transaction as one step that nothing cuts. It first waits for cloud-init and for other package managers, finishes
 * an interrupted dpkg, and says in one line why it failed: 75 waited in vain, 104 no such package.
 */
export function transaction({ manager, action, packages = [], ...rest }: Transaction): Step {
  const weak = rest.recommends === undefined ? "" : rest.recommends ? "yes" : "no";
  const refresh = rest.refreshFirst === true ? "yes" : "no";
  return {
    step: "run",
    argv: ["sh", "-c", script(manager), "furrow", `${rest.waitSeconds}`, refresh, weak, action, ...packages],
    label: rest.label,
    ...(manager === "zypper" && { okExit: [...okExit] }),
    uncut: true,
  };
}

/** Positional: seconds to wait, refresh first (yes or no), weak dependencies (yes, no or nothing), action, packages. */
function script(manager: ManagerName): string {
  return `max=$1 first=$2 weak=$3 action=$4; shift 4
m=${manager} folder=${indexFolder(manager)}
${waiting(manager)}
${actions[manager]}
${offerFunctions}
${flow}`;
}

/**
 * The order of things. A failed installation is tried once more with a fresh index, since a version that the index
 * still names may be gone from the mirror.
 */
const flow = `refreshed=no
renew() { patiently refresh && { touch -c $folder; refreshed=yes; }; }
known() {
w= i=0; for p in "$@"; do w="$w $i:\${p%%=*}"; i=$((i + 1)); done
offers=$(offer) i=0 bad=
for p in "$@"; do
case $p in
*=*)
v=$(offered versions)
case " $v " in *" \${p#*=} "*) ;; *) say "version \${p#*=} of \${p%%=*} is not on offer\${v:+; on offer: $v}"; bad=1;; esac;;
*)
[ -n "$(offered candidate)$(offered providers)" ] || { say "no package named $p is in the index of $m; correct the name, or add its repository with packageRepo"; bad=1; };;
esac
i=$((i + 1))
done
[ -z "$bad" ]
}
offered() { printf '%s\n' "$offers" | sed -n "s/^$i $1=//p"; }
await
case $action in
refresh) renew; exit;;
remove) heal; patiently remove "$@"; exit;;
esac
heal
if [ $first = yes ]; then
renew || say 'the package index could not be fetched in full; going on with what there is'
known "$@" || exit 104
fi
patiently install "$@"; rc=$?
fine $rc && exit $rc
if [ $refreshed = no ]; then
known "$@" || exit 104
say 'trying once more with a fresh package index'
renew; patiently install "$@"; rc=$?
fi
exit $rc`;
