import { task, text, z } from "../../src/authoring.ts";
import { type ChangeText, editBehind, editFacts, editSteps, editWant } from "../../tasks/file-line/edited-file.ts";
import { joinLines, splitLines } from "../../tasks/file-line/text-lines.ts";

/** libvirt's own file: only root may read it, whereas a domain's definition would show the password to more users. */
const conf = { path: "/etc/libvirt/qemu.conf", secret: true, create: true, mode: "0600" };

/** A line that sets the password; a line that begins with # is an example. */
const setting = /^\s*vnc_password\s*=/;

const params = z.strictObject({
  password: text().describe("The password; a secret"),
  keep: z.boolean().describe("Whether a password that is already set is kept"),
});

/** Sets the password of the nodes' screens in libvirt's own file. A node takes it at its next start. */
export const screenPassword = task({
  name: "screenPassword",
  summary: "Set the password of the nodes' screens",
  params,
  examples: [],
  title: () => "password of the nodes' screens",
  disturbs: () => [],
})
  .facts((p) => editFacts(conf, p.password))
  .facts((_p, now) => editBehind(conf, now))
  .want((p, now) => editWant(conf, now, p.password, p.keep ? keepPassword : putPassword))
  .steps((_p, { change }) => editSteps(conf, change.path));

const keepPassword: ChangeText = (content, password) =>
  splitLines(content).some((line) => setting.test(line.text)) ? content : putPassword(content, password);

/** libvirt uses the first of several lines (virConfGetValue), so only one is left. */
const putPassword: ChangeText = (content, password) => {
  const line = `vnc_password = "${password}"`;
  const lines = splitLines(content);
  const all = lines.filter((one) => setting.test(one.text));
  if (all.length === 1 && all[0]?.text === line) return content;
  const others = joinLines(lines.filter((one) => !setting.test(one.text)));
  return `${others}${others === "" || others.endsWith("\n") ? "" : "\n"}${line}\n`;
};
