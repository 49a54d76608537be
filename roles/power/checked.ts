import { absent, absolutePath, file, operator, refuse, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";

/**
 * Seconds for which a rerun may rely on the cluster's answer. Guests on the remaining nodes keep running without the
 * cluster, and new ones may have been started.
 */
const freshSeconds = 7200;

const recordSchema = z.strictObject({ nodes: z.array(z.string()), since: z.iso.datetime() });

/** Records that the cluster has just reported that nothing runs on it. */
export const checkRecorded = task({
  name: "checkRecorded",
  summary: "Record a shutdown's check that nothing runs on the cluster",
  params: z.strictObject({
    path: absolutePath().describe("Path of the record on the host"),
    nodes: z.array(z.string()).min(1).describe("Names of all nodes"),
  }),
  examples: [],
  title: () => "the check is recorded",
})
  .facts((p) => ({ record: file(p.path, ["text"]), operator: operator() }))
  .want((p, { record, operator: { since } }) =>
    record !== absent && record.type === "directory"
      ? refuse({
          code: "in-the-way",
          message: `${p.path} is a directory, so the check cannot be recorded`,
          current: "a directory",
          expected: "a file, or nothing",
          hint: "Find out what the directory contains, and remove it by hand",
        })
      : { record: { type: "file", text: recordText(p.nodes, since) } },
  )
  .steps(
    (
      p,
      {
        change,
        now: {
          operator: { since },
        },
      },
    ) => [change.record && { step: "writeFile", path: p.path, text: recordText(p.nodes, since), mode: "0644" }],
  );

/** Returns the text of the record for a check of these nodes' cluster. */
export function recordText(nodes: readonly string[], since: string): string {
  return `${JSON.stringify({ nodes, since })}\n`;
}

/** True if a string is the record of a check, regardless of the nodes in it. */
export function isRecordText(text: string): boolean {
  return recordSchema.safeParse(parsed(text)).success;
}

/** Returns when the cluster of these nodes was checked; undefined if it was not, or if that was too long ago. */
export function freshRecord(nodes: readonly string[], record: unknown, now: string): string | undefined {
  const text = fileText(record);
  if (text === undefined) return undefined;
  const read = recordSchema.safeParse(parsed(text));
  if (!read.success || read.data.nodes.join() !== nodes.join()) return undefined;
  const age = (Date.parse(now) - Date.parse(read.data.since)) / 1000;
  return age >= 0 && age <= freshSeconds ? read.data.since : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
