import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { grubParameter } from "./grub-parameter.ts";

const file = { type: "file", mode: "0644", owner: "root", group: "root" };
const defaults = (linux: string, normal = "quiet"): object => ({
  ...file,
  text: `# A comment\nGRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX_DEFAULT="${normal}"\nGRUB_CMDLINE_LINUX="${linux}"\n`,
});
const grub = {
  program: "update-grub",
  config: "/boot/grub/grub.cfg",
  entries: 3,
  right: true,
  running: "intel_iommu=on",
  later: [],
};
const wrong = { ...grub, right: false, running: "" };
const write = "write /etc/default/grub";
const call = grubParameter({ name: "intel_iommu", value: "on" });
const removal = grubParameter({ name: "intel_iommu", state: "absent" });

/** Test cases for `grubParameter`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: { defaults: defaults("intel_iommu=on"), grub }, steps: [] },
  { title: "not there", call, now: { defaults: defaults(""), grub: wrong }, steps: [write, "update-grub"] },
  {
    title: "a different value",
    call,
    now: { defaults: defaults("intel_iommu=off"), grub: wrong },
    steps: [write, "update-grub"],
  },
  {
    title: "set in both variables",
    call,
    now: { defaults: defaults("intel_iommu=on", "quiet intel_iommu=on"), grub: wrong },
    steps: [write, "update-grub"],
  },
  {
    title: "a run was stopped before the entries were generated",
    call,
    now: { defaults: defaults("intel_iommu=on"), grub: wrong },
    steps: ["update-grub"],
  },
  {
    title: "somebody changed the entries by hand, and generating them would undo that",
    call,
    now: { defaults: defaults(""), grub },
    steps: [write, "update-grub"],
  },
  {
    title: "up to date, but the running kernel was started before the change",
    call,
    now: { defaults: defaults("intel_iommu=on"), grub: { ...grub, running: "" } },
    steps: [],
  },
  {
    title: "a SUSE host",
    call,
    now: { defaults: defaults(""), grub: { ...wrong, program: "grub2-mkconfig", config: "/boot/grub2/grub.cfg" } },
    steps: [write, "grub2-mkconfig -o /boot/grub2/grub.cfg"],
  },
  {
    title: "to remove",
    call: removal,
    now: { defaults: defaults("intel_iommu=on"), grub: wrong },
    steps: [write, "update-grub"],
  },
  {
    title: "already removed",
    call: removal,
    now: { defaults: defaults(""), grub: { ...grub, running: "" } },
    steps: [],
  },
  {
    title: "entries in separate files",
    call,
    now: { defaults: defaults(""), grub: { ...wrong, program: "bls" } },
    steps: [],
    refusal: "boot-loader-entries",
  },
  {
    title: "no GRUB",
    call,
    now: { defaults: absent, grub: { ...wrong, program: "none", config: "", entries: 0 } },
    steps: [],
    refusal: "no-grub",
  },
  {
    title: "no entries",
    call,
    now: { defaults: defaults(""), grub: { ...wrong, entries: 0 } },
    steps: [],
    refusal: "no-grub",
  },
  {
    title: "a file that is read later sets the variable again",
    call,
    now: {
      defaults: defaults(""),
      grub: {
        ...wrong,
        later: [{ file: "/etc/default/grub.d/50-cloud.cfg", line: 'GRUB_CMDLINE_LINUX="console=ttyS0"' }],
      },
    },
    steps: [],
    refusal: "later-file-wins",
  },
  {
    title: "a file that is read later sets the parameter in the other variable, as on Ubuntu's cloud image",
    call: grubParameter({ name: "console", value: ["tty0", "ttyS0,115200"] }),
    now: {
      defaults: defaults(""),
      grub: {
        ...wrong,
        later: [
          {
            file: "/etc/default/grub.d/50-cloudimg-settings.cfg",
            line: 'GRUB_CMDLINE_LINUX_DEFAULT="console=tty1 console=ttyS0"',
          },
        ],
      },
    },
    steps: [],
    refusal: "later-file-wins",
  },
  {
    title: "a file that cannot be parsed",
    call,
    now: { defaults: { ...file, text: 'GRUB_CMDLINE_LINUX="$(cat /etc/cmdline)"\n' }, grub: wrong },
    steps: [],
    refusal: "not-understood",
  },
];
