import { expect, test } from "vitest";
import { absent, knownAfterApply } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { bootProgram } from "./boot-program.ts";

const call = bootProgram({ from: "/usr/share/ipxe/ipxe-x86_64.efi", to: "/srv/tftpboot/harvester/ipxe.efi" });
const program = (sha256: string, mode = "0644") => ({ type: "file", mode, owner: "root", group: "root", sha256 });
const copies = ["copy /usr/share/ipxe/ipxe-x86_64.efi to /srv/tftpboot/harvester/ipxe.efi"];

test.each([
  { title: "no copy", now: { from: program("aa"), to: absent }, steps: copies },
  { title: "the right copy", now: { from: program("aa"), to: program("aa") }, steps: [] },
  { title: "the copy of another version", now: { from: program("bb"), to: program("aa") }, steps: copies },
  { title: "a copy that others cannot read", now: { from: program("aa"), to: program("aa", "0600") }, steps: copies },
  { title: "a package that an earlier task installs", now: { from: knownAfterApply, to: absent }, steps: copies },
])("$title", ({ now, steps }) => {
  expect(explain(call, now).steps.map((step) => "label" in step && step.label)).toEqual(steps);
});

test.each([
  ["a missing program, for which nodes would wait", absent, "does not exist"],
  [
    "a link, whose fact has no hash of the program",
    { ...program(""), type: "link" },
    "is not a regular file but a link",
  ],
])("refuses %s", (_title, from, problem) => {
  const { refusal } = explain(call, { from, to: absent });
  expect([refusal?.code, refusal?.message]).toEqual(["no-boot-program", expect.stringContaining(problem)]);
});
