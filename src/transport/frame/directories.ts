import { shellQuote, type Step } from "../../core/step.ts";

/** A step that makes a directory. */
export type DirectoryStep = Extract<Step, { step: "makeDirectory" }>;

/**
 * True for a directory that may be made together with others: all of them first, then their attributes. A set-group-ID bit
 * would hand its group down to those that are made in it, so one that gets it is made alone.
 */
export function isSimpleDirectory(step: Step): step is DirectoryStep {
  if (step.step !== "makeDirectory" || step.user !== undefined || !step.parents) return false;
  return step.mode === undefined || /^0?[0-7]{3}$/.test(step.mode);
}

/**
 * Makes new directories of one owner and mode by one command each for all of them; to be run in a shell of its own. Fails,
 * and leaves nothing behind, where one of them is there already, a folder they lie in is not there or hands its group down,
 * or anything goes wrong: they are then to be made one by one.
 */
export function makeDirectories(steps: readonly DirectoryStep[]): string {
  const paths = steps.map(({ path }) => path);
  const around = [...new Set(paths.map(folderOf))].filter((folder) => !paths.includes(folder));
  const { mode, owner = "", group } = steps[0] ?? {};
  const holder = `${owner}${group === undefined ? "" : `:${group}`}`;
  const commands = [
    'mkdir -p -- "$@"',
    ...(holder === "" ? [] : [`chown -h -- ${shellQuote(holder)} "$@"`]),
    ...(mode === undefined ? [] : [`chmod -- 0${mode} "$@"`]),
  ];
  return `for _d in ${around.map(shellQuote).join(" ")}; do [ -d "$_d" ] && [ ! -g "$_d" ] || exit 1; done
set -- ${paths.map(shellQuote).join(" ")}
for _d; do [ ! -e "$_d" ] && [ ! -L "$_d" ] || exit 1; done
${commands.join(" && ")} && exit 0
_d=$#; while [ $_d -gt 0 ]; do eval "rmdir -- \\"\\\${$_d}\\""; _d=$((_d - 1)); done
exit 1`;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
