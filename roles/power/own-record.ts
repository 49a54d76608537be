import { absent, absolutePath, file, type FileState, type Refusal, refuse, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";
import { isRecordText } from "./checked.ts";

const others: Readonly<Record<FileState["type"], string>> = {
  file: "a file with other content",
  directory: "a directory",
  link: "a link",
  other: "a device node, FIFO or socket",
};

/**
 * Refuses a path that holds something other than the record of a shutdown, because a run would replace or remove it.
 *
 * @param record what the fact `file(path, ["text"])` reports
 */
export function notOurRecord(path: string, record: unknown): Refusal | undefined {
  const text = fileText(record);
  if (record === absent || (text !== undefined && isRecordText(text))) return undefined;
  const { type } = record as FileState;
  return refuse({
    code: "not-our-record",
    message: `${path} on the controller is not the record of a shutdown, so it is neither replaced nor removed`,
    current: others[type] ?? "something else",
    expected: "nothing, or a record that power-off wrote",
    hint: "Set `record` to a path where nothing exists; if this is a damaged record, remove it by hand",
  });
}

/** Removes the record of a shutdown, and nothing else that may be at its path. */
export const metalRecordRemoved = task({
  name: "metalRecordRemoved",
  summary: "Remove the record of an earlier shutdown, which is no longer valid after a forced shutdown",
  params: z.strictObject({ path: absolutePath().describe("The record on the controller") }),
  examples: [],
  title: () => "no earlier check is recorded",
})
  .facts((p) => ({ record: file(p.path, ["text"]) }))
  .want((p, { record }) => notOurRecord(p.path, record) ?? { record: absent })
  .steps((p, { change }) => [change.record && { step: "remove", path: p.path, recursive: false }]);
