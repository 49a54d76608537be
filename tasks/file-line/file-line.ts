import { absent, task, text, z } from "../../src/authoring.ts";
import { dropLines, putLine } from "./edit-line.ts";
import {
  anchorParams,
  type ChangeText,
  editAccepted,
  editBehind,
  editFacts,
  editParams,
  editSteps,
  editWant,
  pattern,
} from "./edited-file.ts";

const oneLine = "one line, without a line break";
const line = text().refine((value) => !/[\r\n]/.test(value), oneLine);

const params = z.union(
  [
    z
      .strictObject({
        ...editParams,
        state: z.literal("present").default("present").describe("The file contains the line"),
        line: line.describe("The line, without its line break; may contain secrets"),
        match: pattern()
          .optional()
          .describe(
            "Regular expression; the line replaces the last line that matches. It should match the new line too",
          ),
        ...anchorParams,
      })
      .refine(({ insertAfter, insertBefore }) => insertAfter === undefined || insertBefore === undefined, {
        message: "`insertAfter` or `insertBefore`, not both",
        path: ["insertBefore"],
      }),
    z
      .strictObject({
        ...editParams,
        state: z.literal("absent").describe("The file contains no such line"),
        line: line.optional().describe("Remove lines that equal this text"),
        match: pattern().optional().describe("Remove lines that match this regular expression"),
      })
      .refine(({ line, match }) => line !== undefined || match !== undefined, {
        message: "a `line`, a `match` or both, to select the lines to remove",
        path: ["line"],
      }),
  ],
  { error: 'a `line`; with `state: "absent"` a `line` or a `match`' },
);

/** Keeps a line in a text file, or removes it. */
export const fileLine = task({
  name: "fileLine",
  summary: "Keep one line in a text file, or remove it",
  params,
  examples: [
    { path: "/etc/ssh/sshd_config", line: "PermitRootLogin no", match: "^#?\\s*PermitRootLogin\\b" },
    { path: "/etc/hosts", line: "192.168.122.120 harvester", insertAfter: "^127\\.0\\.0\\.1" },
    { path: "/etc/fstab", state: "absent", match: "\\sswap\\s" },
  ],
  title: (p) => `fileLine ${p.path}`,
  disturbs: () => [],
})
  .facts((p) => editFacts(p, p.line ?? ""))
  .facts((p, now) => editBehind(p, now))
  .facts((p, { path }) => editAccepted(p, path, p.line ?? "", changeOf(p)))
  .want((p, now) => {
    if (p.state === "absent" && now.path === absent) return {};
    return editWant(p, now, p.line ?? "", changeOf(p));
  })
  .steps((p, { change }) => editSteps(p, change.path));

function changeOf(p: z.output<typeof params>): ChangeText {
  return (content, put) =>
    p.state === "absent"
      ? dropLines(content, p.line === undefined ? undefined : put, p.match)
      : putLine(content, put, p);
}
