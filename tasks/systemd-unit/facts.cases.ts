import { absent, type UnitState } from "../../src/authoring.ts";

/** A unit that is loaded and stopped. */
export const idle: UnitState = {
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
  refusesStart: false,
  refusesStop: false,
  lasting: false,
  invocation: "",
  since: 0,
  startedWith: {},
  reloadedWith: {},
  noted: 0,
  startedBefore: {},
};
/** A unit that is running and enabled. */
export const running: UnitState = { ...idle, active: "active", sub: "running", state: "started", enabled: true };
/** A unit's file without its text. */
export const file = { type: "file", mode: "0644", owner: "root", group: "root" };
/** A folder. */
export const folder = { ...file, type: "directory", mode: "0755" };
/** The text of a unit. */
export const text =
  "[Unit]\nAfter=a.target\nAfter=b.target\n\n[Service]\nType=oneshot\nExecStart=/usr/local/bin/backup\nPrivateTmp=yes\n";
/** The same text as params. */
export const sections = {
  Unit: { After: ["a.target", "b.target"] },
  Service: { Type: "oneshot", ExecStart: "/usr/local/bin/backup", PrivateTmp: true },
};
/** No package provides the unit. */
export const none = [absent, absent, absent];
/** The step that makes systemd load files. */
export const reload = "systemctl daemon-reload";
/** The link that masks a unit. */
export const mask = { ...file, type: "link", mode: "0777", target: "/dev/null" };
