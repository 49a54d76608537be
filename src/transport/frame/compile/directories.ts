import { parentOf } from "../../../core/facts/parent.ts";
import { shellQuote, type Step } from "../../../core/host/step.ts";

/** A step that creates a directory. */
export type DirectoryStep = Extract<Step, { step: "makeDirectory" }>;

/**
 * True for a directory that can be created together with others: all directories are created first, and their
 * attributes are set afterwards. A directory with a set-group-ID bit is created alone, because directories created
 * inside it inherit its group.
 */
export function isSimpleDirectory(step: Step): step is DirectoryStep {
  if (step.step !== "makeDirectory" || step.user !== undefined || !step.parents) return false;
  return step.mode === undefined || /^0?[0-7]{3}$/.test(step.mode);
}

/**
 * Shell code that creates new directories with the same owner and mode, using one `mkdir`, `chown` and `chmod` for all
 * of them. Run it in a subshell. It fails and leaves nothing behind if one of the directories exists, if a parent
 * folder is missing or has the set-group-ID bit, or if a command fails. The caller then creates them one by one.
 */
export function makeDirectories(steps: readonly DirectoryStep[]): string {
  const paths = steps.map(({ path }) => path);
  const parents = [...new Set(paths.map(parentOf))].filter((folder) => !paths.includes(folder));
  const { mode, owner = "", group } = steps[0] ?? {};
  const holder = `${owner}${group === undefined ? "" : `:${group}`}`;
  const commands = [
    'mkdir -p -- "$@"',
    ...(holder === "" ? [] : [`chown -h -- ${shellQuote(holder)} "$@"`]),
    ...(mode === undefined ? [] : [`chmod -- 0${mode} "$@"`]),
  ];
  return `for _d in ${parents.map(shellQuote).join(" ")}; do [ -d "$_d" ] && [ ! -g "$_d" ] || exit 1; done
set -- ${paths.map(shellQuote).join(" ")}
for _d; do [ ! -e "$_d" ] && [ ! -L "$_d" ] || exit 1; done
${commands.join(" && ")} && exit 0
_d=$#; while [ $_d -gt 0 ]; do eval "rmdir -- \\"\\\${$_d}\\""; _d=$((_d - 1)); done
exit 1`;
}
