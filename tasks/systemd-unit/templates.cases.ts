import { absent, type UnitState } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { file, folder, idle, mask, none, reload, running, sections, text } from "./facts.cases.ts";
import { systemdUnit } from "./systemd-unit.ts";

const template = systemdUnit({ name: "worker@.service", sections });
const templateDrop = systemdUnit({ name: "worker@.service", dropIn: "10-a", sections: { Service: { Nice: 1 } } });
const droppedIn = { file: { ...file, text: "[Service]\nNice=1\n" }, folder, own: absent, loaded: false };
const untemplate = systemdUnit({ name: "worker@.service", state: "absent" });
/** A template with instances in these states. */
const instances = (...members: readonly (typeof absent | UnitState)[]): object => ({
  family: { names: members.map((_, at) => `worker@${at + 1}.service`) },
  members,
});

/** Test cases with templates, prefixes and instances. */
export const templateCases: readonly Case[] = [
  {
    title: "a new template",
    call: template,
    now: { ...instances(), file: absent, packaged: none, loaded: false, verdict: { said: [] } },
    steps: ["write /etc/systemd/system/worker@.service", reload],
  },
  {
    title: "an existing template",
    call: template,
    now: { ...instances(running), file: { ...file, text }, packaged: none, loaded: false },
    steps: [],
  },
  {
    title: "a run was stopped before systemd loaded a template for its instances",
    call: template,
    now: { ...instances(idle, { ...running, outdated: true }), file: { ...file, text }, packaged: none, loaded: false },
    steps: [reload],
  },
  {
    title: "a run was stopped before systemd loaded a drop-in of a template",
    call: templateDrop,
    now: { ...instances({ ...running, outdated: true }), ...droppedIn },
    steps: [reload],
  },
  {
    title: "an existing drop-in of a template",
    call: templateDrop,
    now: { ...instances(running), ...droppedIn },
    steps: [],
  },
  {
    title: "a template to remove",
    call: untemplate,
    now: { ...instances(idle, absent), file: { ...file, text }, loaded: false },
    steps: ["remove /etc/systemd/system/worker@.service", reload],
  },
  {
    title: "a template to remove that has a running instance",
    call: untemplate,
    now: { ...instances(idle, { ...running, enabled: false }), file: { ...file, text }, loaded: false },
    steps: [],
    refusal: "unit-in-use",
  },
  {
    title: "a template to remove that has an enabled instance",
    call: untemplate,
    now: { ...instances({ ...idle, enabled: true }), file: { ...file, text }, loaded: false },
    steps: [],
    refusal: "unit-in-use",
  },
  {
    title: "a template that was already removed, while an instance of a package's template with that name is running",
    call: untemplate,
    now: { ...instances(running), file: absent, loaded: false },
    steps: [],
  },
  {
    title: "a template that has been removed, but is still loaded for an instance",
    call: untemplate,
    now: { ...instances({ ...idle, outdated: true }), file: absent, loaded: false },
    steps: [reload],
  },
  {
    title: "a drop-in to remove from a template whose instances are running",
    call: systemdUnit({ name: "worker@.service", dropIn: "10-a", state: "absent" }),
    now: { ...instances(running), ...droppedIn },
    steps: ["remove /etc/systemd/system/worker@.service.d/10-a.conf", reload],
  },
  {
    title: "a drop-in for a name prefix, not loaded by systemd yet",
    call: systemdUnit({ name: "user-.slice", dropIn: "10-a", sections: { Unit: { X: 1 } } }),
    now: {
      family: { names: ["user-0.slice"] },
      members: [{ ...running, outdated: true }],
      ...droppedIn,
      file: { ...file, text: "[Unit]\nX=1\n" },
    },
    steps: [reload],
  },
  {
    title: "an instance that would hide the template of a package",
    call: systemdUnit({ name: "getty@tty1.service", sections }),
    now: {
      file: absent,
      unit: absent,
      loaded: false,
      verdict: { said: [] },
      packaged: [...none, file, absent, absent],
    },
    steps: [],
    refusal: "packaged-unit",
  },
  {
    title: "a drop-in for a template that is masked",
    call: systemdUnit({ name: "worker@.service", dropIn: "10-a", sections: { Service: { Nice: 1 } } }),
    now: { ...instances(), file: absent, folder: absent, own: mask, loaded: false, verdict: absent },
    steps: [],
    refusal: "unit-masked",
  },
];
