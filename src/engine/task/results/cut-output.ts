import { FurrowError } from "../../../core/errors.ts";
import { keptOutputBytes, type StepResult } from "../../../core/host/step.ts";

/**
 * The results to pass to a task's `outputs`. Reading a stream that was cut off throws FurrowError E_OUTPUT, which names
 * the task that printed it (`title`): otherwise, part of the output would be mistaken for the whole.
 */
export function readableResults<T extends readonly StepResult[] | undefined>(results: T, title: string): T {
  if (results?.some(({ cut }) => cut !== undefined && cut.length > 0) !== true) return results;
  return results.map((result) => readable(result, title)) as unknown as T;
}

function readable(result: StepResult, title: string): StepResult {
  const read = (stream: "stdout" | "stderr"): string => {
    if (result.cut?.includes(stream) === true) throw cutError(stream, title);
    return result[stream];
  };
  return {
    ...result,
    get stdout() {
      return read("stdout");
    },
    get stderr() {
      return read("stderr");
    },
  };
}

function cutError(stream: string, title: string): FurrowError {
  return new FurrowError("E_OUTPUT", {
    what: `the ${stream} of "${title}" was cut`,
    current: "its beginning is missing",
    expected: `at most ${keptOutputBytes / 1024} KiB, or 64 KiB on a host that cannot keep a journal`,
    hint: "Print less, e.g. with grep or tail, or write the output to a file on the host and use that",
  });
}
