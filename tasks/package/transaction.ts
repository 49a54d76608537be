import type { Step } from "../../src/authoring.ts";
import { dryFunctions, indexNotes, type ManagerName, offerFunctions } from "../../src/facts/catalogue.ts";
import { actions } from "./actions.ts";
import { waiting } from "./waiting.ts";

/** One package transaction. */
export interface Transaction {
  readonly manager: ManagerName;
  /** `refresh` only fetches the index; `mark` only marks installed packages as explicitly installed. */
  readonly action: "change" | "mark" | "refresh";
  /** The words of the request, as in PackageRequest. */
  readonly words?: readonly string[];
  /**
   * With `refresh`: a directory of backups, followed by files. If the index cannot be fetched with the files' current
   * content, the n-th file is restored from the n-th backup, or deleted if that backup is empty.
   */
  readonly trial?: readonly string[];
  /** Whether to fetch the index first. An unreachable repository alone does not make the step fail. */
  readonly refreshFirst?: boolean;
  /** Whether to install weak dependencies; if undefined, the package manager decides. */
  readonly recommends?: boolean | undefined;
  /** The time limit, in seconds, for waiting for other users of the package database. */
  readonly waitSeconds: number;
  readonly label: string;
}

/**
 * The exit code if the packages are in the desired state, but another package on the host could not be set up in the
 * same transaction.
 */
export const otherFailed = 112;

/**
 * The exit codes that mean success. The codes from 100 to 107 are zypper's (zypper(8)): 100 and 101 mean that patches
 * are needed, 102 that a reboot is needed, 103 that the package manager must be restarted, 106 that a repository was
 * skipped, and 107 that a package script failed.
 */
export const okExit = [0, 100, 101, 102, 103, 106, 107, otherFailed] as const;

/**
 * Returns a transaction as one step that is never interrupted. The step waits for cloud-init and for other package
 * managers, finishes an interrupted transaction, asks the manager what it would do, and refuses changes that were not
 * requested. Adjacent transactions are merged if the package manager allows this. A failure is reported on one line.
 * The exit code is 75 if the database is still in use after the wait, 104 if a package does not exist, and 111 if a
 * change was refused.
 */
export function transaction({ manager, action, words = [], ...rest }: Transaction): Step {
  const weak = rest.recommends === undefined ? "" : rest.recommends ? "yes" : "no";
  const trial = rest.trial ?? [];
  const refresh = rest.refreshFirst === true ? "yes" : "no";
  return {
    step: "run",
    argv: ["sh", "-c", script(manager), "furrow", `${rest.waitSeconds}`, refresh, weak, action, ...words, ...trial],
    label: rest.label,
    ...(action === "change" && {
      joint: { key: `package ${manager} ${weak}`, words: ["+", ...words], across: ["packageIndex"] },
    }),
    okExit: manager === "zypper" ? [...okExit] : [0, otherFailed],
    uncut: true,
  };
}

/**
 * Returns the script. Its arguments: seconds to wait, refresh first (yes or no), weak dependencies (yes, no or empty),
 * action, words.
 */
function script(manager: ManagerName): string {
  return `max=$1 first=$2 weak=$3 action=$4; shift 4
m=${manager}
${waiting(manager)}
${actions[manager]}
${indexNotes}
${offerFunctions}
${dryFunctions}
${flow}`;
}

/**
 * The part of the script that calls the actions in order. A transaction that fails before it changes the package
 * database is retried once with a fresh index, because a version in the old index may no longer be on the mirror; a
 * package script that failed is not run again. In a merged transaction, a `+` precedes the words of each task after the
 * first. A fetch counts as done only if all of it succeeded: the date of the index only shows that a part has arrived.
 */
const flow = `refreshed=no
renew() {
places $m; listed=$(lists)
patiently refresh || return
touch -c $d; noteFetch "$listed"; refreshed=yes
}
known() {
w= i=0; for p in $todo; do case $p in *-|'~'*) ;; *) w="$w $i:\${p%%=*}"; i=$((i + 1));; esac; done
[ -n "$w" ] || return 0
offers=$(offer) i=0 bad=
for p in $todo; do
case $p in
*-|'~'*) continue;;
*=@) ;;
*=*)
v=$(offered versions)
case " $v " in *" \${p#*=} "*) ;; *) say "version \${p#*=} of \${p%%=*} is not available\${v:+; available: $v}"; bad=1;; esac
i=$((i + 1)); continue;;
esac
[ -n "$(offered candidate)$(offered providers)" ] || { say "no package named \${p%%=*} is in the index of $m; correct the name, or add its repository with packageRepo"; bad=1; }
i=$((i + 1))
done
[ -z "$bad" ]
}
offered() { printf '%s\n' "$offers" | sed -n "s/^$i $1=//p"; }
undone() {
todo= some=
for p in "$@"; do case $p in '~'*) todo="$todo $p";; *) right "$p" || { todo="$todo $p"; some=1; };; esac; done
[ -n "$some" ]
}
plain() { for p in "$@"; do case $p in '~'*) ;; *) printf '%s ' "\${p%=@}";; esac; done; }
stamp() { stat -c '%Y %i %s' $db 2>/dev/null; }
agrees() {
dry "$@" && return
if [ $rc -ne 0 ]; then say "$m refuses this: $why"; else say "it would remove$bare, which was not requested; list them in mayRemove if they may be removed"; fi
return 1
}
perform() { before=$(stamp); patiently change $(plain "$@"); rc=$?; }
await
if [ $action = refresh ]; then
renew; rc=$?
[ $# -gt 0 ] && [ -d "$1" ] || exit $rc
kept=$1; shift; n=1
[ $rc -eq 0 ] || for p in "$@"; do
if [ -s "$kept/$n" ]; then mv -f -- "$kept/$n" "$p"; say "$p was restored, because the index could not be fetched"
elif [ -e "$p" ]; then rm -f -- "$p"; say "$p was removed again, because the index could not be fetched"; fi
n=$((n + 1))
done
rm -rf -- "$kept"
exit $rc
fi
own= others= more=no
for p in "$@"; do case $p in +) more=yes;; *) if [ $more = no ]; then own="$own $p"; else others="$others $p"; fi;; esac; done
undone $own || { mark $own; exit; }
heal $own
if [ $first = yes ]; then renew || say 'the package index could not be fetched in full; continuing with the current one'; fi
undone $own
[ $first = no ] || known || exit 104
if undone $others; then
others=$todo; undone $own; mine=$todo
if dry $mine $others; then
perform $mine $others
fine $rc && { mark $own $others; exit $rc; }
undone $own || { say 'these packages are in the desired state; others in the same transaction are not'; mark $own; exit; }
! broken $own || exit $rc
say 'trying without the packages of the tasks that follow'
fi
fi
undone $own
if agrees $todo; then perform $todo; else [ $refreshed = no ] && [ $rc -ne 0 ] || exit 111; before=$(stamp) rc=111; fi
fine $rc && { mark $own; exit $rc; }
undone $own || { say 'these packages are in the desired state; another package on this host could not be set up'; mark $own; exit ${otherFailed}; }
if [ $refreshed = no ] && [ "$before" = "$(stamp)" ]; then
known || exit 104
say 'trying once more with a fresh package index'
renew; undone $own; agrees $todo || exit 111
perform $todo
fine $rc && mark $own
fi
exit $rc`;
