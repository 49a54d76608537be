import type { Step } from "../../src/authoring.ts";
import type { PresentRepo } from "./params.ts";

/**
 * Returns the directory that contains backups of a repository's files until its index has been fetched with the new
 * files.
 */
export function trialFolder({ manager, name }: PresentRepo): string {
  return `/var/lib/furrow/trial/${manager}-${name}`;
}

/**
 * Backs up files before they change: the n-th file is copied to a file named n in the directory; if the file does not
 * exist, its backup is an empty file. An existing backup is kept, because it comes from a run that was interrupted
 * before it had fetched the index.
 */
export function keepForTrial(p: PresentRepo, files: readonly string[]): Step {
  return {
    step: "run",
    argv: ["sh", "-c", script, "furrow", trialFolder(p), ...files],
    label: `back up the files of the repository ${p.name} until its index is fetched`,
  };
}

const script = `[ ! -d "$1" ] || exit 0
umask 077; kept=$1; shift
rm -rf "$kept.part" && mkdir -p "$kept.part" || exit
n=1
for f in "$@"; do
if [ -e "$f" ]; then cp -p -- "$f" "$kept.part/$n"; else : >"$kept.part/$n"; fi || exit
n=$((n + 1))
done
mv "$kept.part" "$kept"`;
