import { parentOf } from "../../../core/facts/parent.ts";
import { shellQuote, type Step, type WriteFileStep } from "../../../core/host/step.ts";
import { compileStep, isLarge, printContent, writeCall } from "./compile-step.ts";
import { type DirectoryStep, isSimpleDirectory, makeDirectories } from "./directories.ts";

/** Fewer files or directories than this are created one by one. */
const worthwhile = 3;

/** Matches names that are one shell word, unchanged by any expansion. */
const plainName = /^[^\s*?[\\'"`$~-][^\s*?[\\'"`$]*$/;

/**
 * Consecutive steps that are done together (new files with the same folder and owner, or new directories), or a single
 * step.
 */
export interface Run {
  /** Index of the run's first step. */
  readonly first: number;
  readonly steps: readonly Step[];
  readonly together: boolean;
}

/** Splits steps, in order, into runs of steps that can be done together. */
export function runsOf(steps: readonly Step[]): Run[] {
  const runs: { first: number; steps: Step[]; key: string | undefined }[] = [];
  steps.forEach((step, index) => {
    const key = keyOf(step);
    const last = runs.at(-1);
    if (last !== undefined && key !== undefined && last.key === key) last.steps.push(step);
    else runs.push({ first: index, steps: [step], key });
  });
  return runs.map(({ first, steps: list, key }) => ({
    first,
    steps: list,
    together: key !== undefined && list.length >= worthwhile && namesDiffer(list as WriteFileStep[]),
  }));
}

/** Adjacent steps with the same key are done together. Undefined for a step that is done alone. */
function keyOf(step: Step): string | undefined {
  if (isSimpleDirectory(step)) return JSON.stringify([step.mode, step.owner, step.group]);
  return isSimple(step) ? JSON.stringify([parentOf(step.path), step.owner, step.group, "files"]) : undefined;
}

/**
 * Compiles a run of steps. The host does them together if none of their paths exists yet, otherwise one by one. `item`
 * is the number of their item in the frame; `first` is the index of the first step in that item.
 */
export function compileTogether({ first, steps }: Run, item: number): string {
  const areFiles = steps[0]?.step === "writeFile";
  const { before, together, each } = areFiles
    ? asFiles(steps as readonly WriteFileStep[])
    : asDirectories(steps as readonly DirectoryStep[]);
  const alone = each.map((code, index) => `_fi='${item} ${first + index}'; ${code} || { _fz=1; break; }`);
  const numbers = steps.map((_, index) => first + index).join(" ");
  return `${before}
if ( trap - TERM; ${together} ) </dev/null >/dev/null 2>&1; then
for _k in ${numbers}; do printf '%s S ${item} %s 0\\n' "$_fn" "$_k" || exit 74; done
else
${alone.join("\n")}
fi`;
}

/** The shell code of a run: definitions, all steps together, and each step alone. */
interface Ways {
  readonly before: string;
  readonly together: string;
  readonly each: readonly string[];
}

function asFiles(files: readonly WriteFileStep[]): Ways {
  return {
    before: files.map((step, index) => `_fw${index}() { ${printContent(step.text)}; }`).join("\n"),
    together: callOf(files),
    each: files.map((step, index) => `_fc() { ${writeCall(step, index)}; }; _fx 0`),
  };
}

function asDirectories(directories: readonly DirectoryStep[]): Ways {
  const each = directories.map((step) => compileStep(step, undefined) ?? "");
  return { before: "", together: makeDirectories(directories), each };
}

/** The call to `_fwt` for files whose content is printed by the functions `_fw0`, `_fw1`, …. */
function callOf(files: readonly WriteFileStep[]): string {
  const [first] = files;
  if (first === undefined) return ":";
  const byMode = new Map<string, string[]>();
  files.forEach(({ mode = "0644", path }, index) =>
    byMode.set(mode, [...(byMode.get(mode) ?? []), `${index}`, nameOf(path)]),
  );
  const owner = `${first.owner ?? ""}${first.group === undefined ? "" : `:${first.group}`}`;
  const lists = [...byMode].map(([mode, words]) => shellQuote(`${mode} ${words.join(" ")}`));
  return `_fwt ${shellQuote(parentOf(first.path))} ${owner === "" ? "''" : shellQuote(owner)} ${lists.join(" ")}`;
}

function isSimple(step: Step): step is WriteFileStep {
  return (
    step.step === "writeFile" &&
    step.user === undefined &&
    step.validate === undefined &&
    plainName.test(nameOf(step.path)) &&
    !isLarge(step)
  );
}

function namesDiffer(steps: readonly WriteFileStep[]): boolean {
  return new Set(steps.map(({ path }) => path)).size === steps.length;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
