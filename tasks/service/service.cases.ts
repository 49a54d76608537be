import { absent, seenOf, type UnitState, watchedThings } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { file } from "../file/file.ts";
import { service } from "./service.ts";

const running: UnitState = {
  load: "loaded",
  active: "active",
  sub: "running",
  file: "enabled",
  type: "simple",
  state: "started",
  enabled: true,
  masked: false,
  outdated: false,
  reloadable: true,
  refusesStart: false,
  refusesStop: false,
  lasting: true,
  invocation: "x",
  since: 2_000_000_000,
  startedWith: {},
  reloadedWith: {},
  noted: 0,
  startedBefore: {},
};
const stopped: UnitState = { ...running, active: "inactive", sub: "dead", state: "stopped", invocation: "", since: 0 };
const base = {
  files: [absent],
  dropIns: absent,
  loaded: false,
  restartOn: [],
  reloadOn: [],
  restartGone: [],
  reloadGone: [],
};
const call = service({ name: "nginx", state: "started", enabled: true });
const stop = service({ name: "nginx", state: "stopped", enabled: false });
const conf = file({ path: "/etc/nginx.conf", content: "x" });
const restart = service({ name: "nginx", state: "started", restartOn: [conf] });
const reload = service({ name: "nginx", state: "started", reloadOn: [conf] });
const read = { type: "file", mode: "0644", owner: "root", group: "root", sha256: "aa", changed: 3_000_000_000 };
const folder = { type: "directory", mode: "0755", owner: "root", group: "root", changed: 1 };
const seen = seenOf(watchedThings([conf], [read, folder]));
const unitFile = { type: "file", mode: "0644", owner: "root", group: "root", changed: 5 };
const start = "systemctl start nginx.service";

/** Test cases for `service`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: { ...base, unit: running }, steps: [] },
  { title: "stopped", call, now: { ...base, unit: stopped }, steps: [start] },
  {
    title: "not enabled",
    call,
    now: { ...base, unit: { ...running, enabled: false, file: "disabled" } },
    steps: ["systemctl enable --quiet -- nginx.service"],
  },
  {
    title: "a file that systemd has not loaded",
    call,
    now: { ...base, unit: { ...running, outdated: true } },
    steps: ["systemctl daemon-reload"],
  },
  {
    title: "a unit whose file will change",
    call,
    now: { ...base, unit: running, files: [{ ...unitFile, changed: Number.MAX_SAFE_INTEGER }] },
    steps: ["systemctl daemon-reload"],
  },
  {
    title: "a unit that systemd has not loaded yet",
    call,
    now: { ...base, unit: absent, files: [unitFile] },
    steps: ["systemctl daemon-reload", "systemctl enable --quiet -- nginx.service", start],
  },
  { title: "no such unit", call, now: { ...base, unit: absent }, steps: [], refusal: "unit-not-found" },
  {
    title: "masked",
    call,
    now: { ...base, unit: { ...stopped, masked: true, load: "masked", file: "masked", enabled: false } },
    steps: [],
    refusal: "unit-masked",
  },
  {
    title: "masked, but must be unmasked",
    call: service({ name: "nginx", masked: false }),
    now: { ...base, unit: { ...stopped, masked: true, load: "masked", file: "masked", enabled: false } },
    steps: ["systemctl unmask --quiet -- nginx.service", "systemctl unmask --runtime --quiet -- nginx.service"],
  },
  {
    title: "must be masked, but has its own file where the mask would go",
    call: service({ name: "nginx", state: "stopped", masked: true }),
    now: { ...base, unit: stopped, files: [unitFile] },
    steps: [],
    refusal: "unit-file-in-the-way",
  },
  {
    title: "a transient unit, which disappears when stopped",
    call: stop,
    now: { ...base, unit: { ...running, file: "transient", enabled: false } },
    steps: ["systemctl stop nginx.service"],
  },
  {
    title: "started before its configuration was written",
    call: restart,
    now: { ...base, unit: running, restartOn: [read, folder] },
    steps: ["systemctl restart nginx.service", "record what nginx.service has loaded"],
  },
  {
    title: "started with its configuration",
    call: restart,
    now: { ...base, unit: { ...running, startedWith: seen }, restartOn: [read, folder] },
    steps: [],
  },
  {
    title: "loaded before its configuration was written",
    call: reload,
    now: { ...base, unit: running, reloadOn: [read, folder] },
    steps: ["systemctl reload nginx.service", "record what nginx.service has loaded"],
  },
  {
    title: "running, but must be stopped",
    call: stop,
    now: { ...base, unit: running },
    steps: ["systemctl disable --quiet -- nginx.service", "systemctl stop nginx.service"],
  },
  {
    title: "started, but systemd refuses to stop it for a user, as auditd on the Red Hat family",
    call: stop,
    now: { ...base, unit: { ...running, refusesStop: true } },
    steps: [],
    refusal: "unit-refuses-stop",
  },
  {
    title: "no restart is due yet, but systemd would refuse one",
    call: restart,
    now: { ...base, unit: { ...running, refusesStop: true, startedWith: seen }, restartOn: [read, folder] },
    steps: [],
    refusal: "unit-refuses-stop",
  },
  {
    title: "systemd refuses to start it, so it cannot be restarted either",
    call: restart,
    now: { ...base, unit: { ...running, refusesStart: true }, restartOn: [read, folder] },
    steps: [],
    refusal: "unit-refuses-start",
  },
  {
    title: "stopped, and systemd refuses to start it for a user",
    call,
    now: { ...base, unit: { ...stopped, refusesStart: true } },
    steps: [],
    refusal: "unit-refuses-start",
  },
  {
    title: "systemd refuses to stop it, but only a reload is due",
    call: reload,
    now: { ...base, unit: { ...running, refusesStart: true, refusesStop: true }, reloadOn: [read, folder] },
    steps: ["systemctl reload nginx.service", "record what nginx.service has loaded"],
  },
  {
    title: "started, as it must be, and systemd refuses to start or stop it",
    call,
    now: { ...base, unit: { ...running, refusesStart: true, refusesStop: true } },
    steps: [],
  },
  {
    title: "systemd refuses to stop it, but its file will change",
    call: stop,
    now: {
      ...base,
      unit: { ...running, refusesStop: true },
      files: [{ ...unitFile, changed: Number.MAX_SAFE_INTEGER }],
    },
    steps: ["systemctl daemon-reload", "systemctl disable --quiet -- nginx.service", "systemctl stop nginx.service"],
  },
  { title: "missing, and must be stopped", call: stop, now: { ...base, unit: absent }, steps: [] },
];
