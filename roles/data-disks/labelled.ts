import { absent, absolutePath, peek, program, task, z } from "../../src/authoring.ts";
import { selinuxLabel } from "../../src/facts/catalogue.ts";

const params = z.strictObject({
  path: absolutePath().describe("Directory or file"),
  type: z.string().describe("SELinux type that the directory or file must have"),
});

/**
 * Sets the SELinux type of one path, on hosts that use SELinux. Never touches the contents of a directory: libvirt
 * labels the images of running guests itself, and new files get the type of their directory.
 */
export const labelled = task({
  name: "labelled",
  summary: "Set the SELinux type of a path, on hosts that use SELinux",
  params,
  examples: [],
  title: ({ path, type }) => `${path} has the SELinux type ${type}`,
})
  .facts((p) => ({ label: selinuxLabel(p.path), semanage: program("semanage") }))
  .want((p, now) => (peek(now, "label") === absent || now.label === absent ? {} : { label: { type: p.type } }))
  .steps((p, { change }) => [
    change.label && {
      step: "run",
      label: `label ${p.path} as ${p.type}`,
      argv: ["sh", "-c", script, "sh", p.path, p.type],
    },
  ])
  .notes((p, { label, semanage }) =>
    label !== absent && semanage === absent
      ? [`the host has no semanage: relabeling the whole host would undo the type of ${p.path}`]
      : [],
  );

/** Records the type for later relabeling if the host has a program for that, and sets the type. */
const script = `if command -v semanage >/dev/null; then
semanage fcontext -a -t "$2" "$1(/.*)?" 2>/dev/null || semanage fcontext -m -t "$2" "$1(/.*)?" || exit
fi
chcon -t "$2" -- "$1"`;
