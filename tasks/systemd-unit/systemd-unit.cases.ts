import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { file, folder, idle, mask, none, reload, running, sections, text } from "./facts.cases.ts";
import { systemdUnit } from "./systemd-unit.ts";
import { templateCases } from "./templates.cases.ts";

const path = "/etc/systemd/system/backup.service";

const call = systemdUnit({ name: "backup", sections });
const right = { file: { ...file, text }, unit: idle, packaged: none, loaded: false };
const fresh = { ...right, file: absent, unit: absent, verdict: { said: [] } };
const drop = systemdUnit({ name: "nginx", dropIn: "10-limits", sections: { Service: { LimitNOFILE: 65_536 } } });
const dropPath = "/etc/systemd/system/nginx.service.d/10-limits.conf";
const dropped = {
  file: { ...file, text: "[Service]\nLimitNOFILE=65536\n" },
  unit: running,
  folder,
  own: absent,
  loaded: false,
};
const undropped = { ...dropped, file: absent, folder: absent, verdict: { said: [] } };
const removal = systemdUnit({ name: "backup", state: "absent" });
const bare = { file: { ...file, text }, unit: idle, loaded: false };
const undrop = systemdUnit({ name: "nginx", dropIn: "10-limits", state: "absent" });

/** Test cases for `systemdUnit`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  ...templateCases,
  { title: "already up to date", call, now: right, steps: [] },
  { title: "a new unit", call, now: fresh, steps: [`write ${path}`, reload] },
  {
    title: "different text",
    call,
    now: { ...right, file: { ...file, text: "[Service]\n" }, verdict: { said: [] } },
    steps: [`write ${path}`, reload],
  },
  {
    title: "a run was stopped before systemd loaded the file",
    call,
    now: { ...right, unit: { ...idle, outdated: true } },
    steps: [reload],
  },
  {
    title: "the host cannot tell whether the text is valid",
    call,
    now: { ...fresh, verdict: absent },
    steps: [`write ${path}`, reload],
  },
  {
    title: "a program that does not exist yet",
    call,
    now: {
      ...fresh,
      verdict: { said: ["backup.service: Command /usr/local/bin/backup is not executable: No such file or directory"] },
    },
    steps: [`write ${path}`, reload],
  },
  {
    title: "a misspelled setting",
    call,
    now: {
      ...fresh,
      verdict: { said: ["backup.service:7: Unknown key 'PrivateTpm' in section [Service], ignoring."] },
    },
    steps: [],
    refusal: "not-accepted",
  },
  {
    title: "a unit that a package defines",
    call,
    now: { ...fresh, packaged: [file, absent, absent], unit: idle },
    steps: [],
    refusal: "packaged-unit",
  },
  {
    title: "masked",
    call,
    now: { ...fresh, file: mask, unit: { ...idle, masked: true, load: "masked" } },
    steps: [],
    refusal: "unit-masked",
  },
  {
    title: "a link instead of the file",
    call,
    now: { ...fresh, file: { ...mask, target: "/opt/backup/backup.service" } },
    steps: [],
    refusal: "not-a-file",
  },
  { title: "a directory instead of the file", call, now: { ...fresh, file: folder }, steps: [], refusal: "not-a-file" },
  { title: "an existing drop-in", call: drop, now: dropped, steps: [] },
  {
    title: "a new drop-in",
    call: drop,
    now: undropped,
    steps: ["make directory /etc/systemd/system/nginx.service.d", `write ${dropPath}`, reload],
  },
  {
    title: "a drop-in for a unit whose file was written just before",
    call: drop,
    now: { ...undropped, unit: absent, own: file },
    steps: ["make directory /etc/systemd/system/nginx.service.d", `write ${dropPath}`, reload],
  },
  {
    title: "a drop-in for a unit that does not exist",
    call: drop,
    now: { ...undropped, unit: absent },
    steps: [],
    refusal: "unit-not-found",
  },
  {
    title: "a drop-in for a unit that is masked",
    call: drop,
    now: { ...undropped, unit: { ...idle, masked: true }, own: mask },
    steps: [],
    refusal: "unit-masked",
  },
  { title: "a unit to remove", call: removal, now: bare, steps: [`remove ${path}`, reload] },
  { title: "already removed", call: removal, now: { ...bare, file: absent, unit: absent }, steps: [] },
  {
    title: "removed, but still loaded",
    call: removal,
    now: { ...bare, file: absent, unit: { ...idle, outdated: true } },
    steps: [reload],
  },
  {
    title: "removed, while a package's unit with that name is running",
    call: removal,
    now: { ...bare, file: absent, unit: running },
    steps: [],
  },
  {
    title: "a unit to remove that is running",
    call: removal,
    now: { ...bare, unit: running },
    steps: [],
    refusal: "unit-in-use",
  },
  {
    title: "a unit to remove that is enabled",
    call: removal,
    now: { ...bare, unit: { ...idle, enabled: true } },
    steps: [],
    refusal: "unit-in-use",
  },
  {
    title: "a mask to remove",
    call: removal,
    now: { ...bare, file: mask, unit: { ...idle, masked: true } },
    steps: [],
    refusal: "unit-masked",
  },
  { title: "a drop-in to remove", call: undrop, now: { ...dropped }, steps: [`remove ${dropPath}`, reload] },
  {
    title: "a drop-in that was already removed",
    call: undrop,
    now: { ...dropped, file: absent, folder: absent },
    steps: [],
  },
  {
    title: "a unit to remove whose file systemd has not loaded",
    call: removal,
    now: { ...bare, unit: { ...idle, outdated: true } },
    steps: [`remove ${path}`, reload],
  },
];
