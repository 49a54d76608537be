import { absent, type UnitState } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { systemdUnit } from "./systemd-unit.ts";

const idle: UnitState = {
  load: "loaded",
  active: "inactive",
  sub: "dead",
  file: "disabled",
  type: "oneshot",
  state: "stopped",
  enabled: false,
  masked: false,
  outdated: false,
  reloadable: false,
  lasting: false,
  invocation: "",
  since: 0,
  startedWith: {},
  reloadedWith: {},
  noted: 0,
  startedBefore: {},
};
const running: UnitState = { ...idle, active: "active", sub: "running", state: "started", enabled: true };
const file = { type: "file", mode: "0644", owner: "root", group: "root" };
const folder = { ...file, type: "directory", mode: "0755" };
const text =
  "[Unit]\nAfter=a.target\nAfter=b.target\n\n[Service]\nType=oneshot\nExecStart=/usr/local/bin/backup\nPrivateTmp=yes\n";
const sections = {
  Unit: { After: ["a.target", "b.target"] },
  Service: { Type: "oneshot", ExecStart: "/usr/local/bin/backup", PrivateTmp: true },
};
const none = [absent, absent, absent];
const path = "/etc/systemd/system/backup.service";
const reload = "systemctl daemon-reload";

const call = systemdUnit({ name: "backup", sections });
const right = { file: { ...file, text }, unit: idle, packaged: none, loaded: false };
const fresh = { ...right, file: absent, unit: absent, verdict: { said: [] } };
const template = systemdUnit({ name: "worker@.service", sections });
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
const mask = { ...file, type: "link", mode: "0777", target: "/dev/null" };

/** Test cases for `systemdUnit`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already as wanted", call, now: right, steps: [] },
  { title: "a new unit", call, now: fresh, steps: [`write ${path}`, reload] },
  {
    title: "another text",
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
    title: "the host cannot say whether the text is right",
    call,
    now: { ...fresh, verdict: absent },
    steps: [`write ${path}`, reload],
  },
  {
    title: "a program that is not there yet",
    call,
    now: {
      ...fresh,
      verdict: { said: ["backup.service: Command /usr/local/bin/backup is not executable: No such file or directory"] },
    },
    steps: [`write ${path}`, reload],
  },
  {
    title: "a misspelt setting",
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
    title: "a link in the way",
    call,
    now: { ...fresh, file: { ...mask, target: "/opt/backup/backup.service" } },
    steps: [],
    refusal: "not-a-file",
  },
  { title: "a directory in the way", call, now: { ...fresh, file: folder }, steps: [], refusal: "not-a-file" },
  {
    title: "a new template",
    call: template,
    now: { file: absent, packaged: none, loaded: false, verdict: { said: [] } },
    steps: ["write /etc/systemd/system/worker@.service", reload],
  },
  {
    title: "a template that is there",
    call: template,
    now: { file: { ...file, text }, packaged: none, loaded: false },
    steps: [],
  },
  { title: "a drop-in that is there", call: drop, now: dropped, steps: [] },
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
    title: "a drop-in for no unit",
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
  {
    title: "a drop-in for a template that is masked",
    call: systemdUnit({ name: "worker@.service", dropIn: "10-a", sections: { Service: { Nice: 1 } } }),
    now: { file: absent, folder: absent, own: mask, loaded: false, verdict: absent },
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
    title: "removed, and a package's unit of that name runs",
    call: removal,
    now: { ...bare, file: absent, unit: running },
    steps: [],
  },
  {
    title: "a unit to remove that runs",
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
    title: "a drop-in that is already removed",
    call: undrop,
    now: { ...dropped, file: absent, folder: absent },
    steps: [],
  },
];
