import type { Step } from "../../src/authoring.ts";
import type { PresentRepo } from "./params.ts";

/** Where the files of a repository are kept as they were, until its index could be fetched with the new ones. */
export function trialFolder({ manager, name }: PresentRepo): string {
  return `/var/lib/furrow/trial/${manager}-${name}`;
}

/**
 * Keeps files as they are before they are changed: the n-th of them as the file n of the folder, an empty one where there is
 * none. What is kept already stays, because it was kept by a run that was cut before its fetch ended.
 */
export function keepForTrial(p: PresentRepo, files: readonly string[]): Step {
  return {
    step: "run",
    argv: ["sh", "-c", script, "furrow", trialFolder(p), ...files],
    label: `keep the files of the repository ${p.name} as they are until its index is fetched`,
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
