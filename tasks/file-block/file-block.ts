import { absent, task, text, z } from "../../src/authoring.ts";
import {
  anchorParams,
  type ChangeText,
  editAccepted,
  editBehind,
  editFacts,
  editParams,
  editSteps,
  editWant,
} from "../file-line/edited-file.ts";
import { dropBlock, markersOf, putBlock } from "./edit-block.ts";

const template = 'one line with {mark} in it, like "# {mark} managed by furrow"';
const shared = {
  ...editParams,
  marker: z
    .string({ error: template })
    .regex(/^[^\r\n]*\{mark\}[^\r\n]*$/, template)
    .default("# {mark} managed by furrow")
    .describe("Lines around the block; {mark} becomes BEGIN and END. Each block of a file needs its own marker"),
};

const params = z.union([
  z
    .strictObject({
      ...shared,
      state: z.literal("present").default("present").describe("The file contains the block"),
      block: text().describe("The block's lines; may contain secrets"),
      ...anchorParams,
    })
    .refine(({ insertAfter, insertBefore }) => insertAfter === undefined || insertBefore === undefined, {
      message: "`insertAfter` or `insertBefore`, not both",
      path: ["insertBefore"],
    }),
  z.strictObject({ ...shared, state: z.literal("absent").describe("The file contains neither block nor markers") }),
]);

/** Keeps a block of lines between two markers in a text file, or removes it. */
export const fileBlock = task({
  name: "fileBlock",
  summary: "Keep a block of lines between two markers in a text file, or remove it",
  params,
  examples: [
    { path: "/etc/hosts", block: "192.168.122.11 harvester-1\n192.168.122.12 harvester-2\n" },
    {
      path: "/etc/ssh/sshd_config",
      marker: "# {mark} furrow: no passwords",
      block: "PasswordAuthentication no\n",
      insertBefore: "^Match ",
    },
    { path: "/etc/hosts", state: "absent" },
  ],
  title: (p) => `fileBlock ${p.path}`,
  disturbs: () => [],
})
  .facts((p) => editFacts(p, "block" in p ? p.block : ""))
  .facts((p, now) => editBehind(p, now))
  .facts((p, { path }) => editAccepted(p, path, "block" in p ? p.block : "", changeOf(p)))
  .want((p, now) => {
    if (p.state === "absent" && now.path === absent) return {};
    return editWant(p, now, "block" in p ? p.block : "", changeOf(p));
  })
  .steps((p, { change }) => editSteps(p, change.path));

function changeOf(p: z.output<typeof params>): ChangeText {
  const markers = markersOf(p.marker);
  return (content, put) => (p.state === "absent" ? dropBlock(content, markers) : putBlock(content, put, markers, p));
}
