import { run, shellQuote, type Step } from "../../src/authoring.ts";
import { newHome, type Present } from "./params.ts";

function flags(p: Present): string[] {
  return [
    ...(p.uid === undefined ? [] : ["-u", String(p.uid)]),
    ...(p.group === undefined ? [] : ["-g", p.group]),
    ...(p.shell === undefined ? [] : ["-s", p.shell]),
    ...(p.home === undefined ? [] : ["-d", p.home]),
    ...(p.comment === undefined ? [] : ["-c", p.comment]),
  ];
}

function newUserFlags(p: Present): string[] {
  const groups = p.groups === undefined || p.groups.length === 0 ? [] : ["-G", p.groups.join(",")];
  return [...(p.system ? ["-r"] : []), p.createHome ? "-m" : "-M", ...flags({ ...p, home: newHome(p) }), ...groups];
}

/**
 * Adds a user completely or not at all: if useradd cannot create the home directory, it leaves the user in /etc/passwd
 * and exits with 12 (useradd(8)).
 */
const addWhole = `name=$1; shift
useradd "$@" -- "$name"; code=$?
[ $code != 12 ] || userdel -- "$name"
exit $code`;

/** Returns the step that adds a user. */
export function addition(p: Present): Step {
  const words = newUserFlags(p);
  return {
    step: "run",
    argv: ["sh", "-c", addWhole, "useradd", p.name, ...words],
    label: ["useradd", ...words, "--", p.name].map(shellQuote).join(" "),
  };
}

/** Returns the step that changes a user who has the given primary group. */
export function modify(p: Present, primary: string): Step {
  const others = p.groups?.filter((name) => name !== (p.group ?? primary)) ?? [];
  const exactly = p.exactGroups && p.groups !== undefined;
  const groups = exactly ? ["-G", others.join(",")] : others.length === 0 ? [] : ["-a", "-G", others.join(",")];
  return run`usermod ${[...flags(p), ...groups]} -- ${p.name}`;
}
