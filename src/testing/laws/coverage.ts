import { type Fact, isControllerFact, isFactList } from "../../core/facts/fact.ts";
import { linesOf } from "../../core/facts/expectation.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { paramSets } from "../../core/params/param-table.ts";
import { ranKind } from "../../core/facts/ran.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Subject, Tried } from "./subject.ts";
import { differing } from "./steps.ts";

/**
 * The cases must show a host that is already correct, each fact with a wrong value, each fact as absent, and a removal
 * if the task can remove something.
 */
export function coverageLaws({ module }: Subject, tried: readonly Tried[]): string[] {
  if (tried.length === 0) return ["there are no cases: show what the task does in a file of cases"];
  const right = tried.some(({ decision }) => !("refusal" in decision) && decision.match === "same");
  return [
    ...(right ? [] : ["no case shows a host where nothing has to be done"]),
    ...tried.flatMap((trial) => valueLaws(trial).map((sentence) => `case "${trial.case.title}": ${sentence}`)),
    ...(module.poll ? waitCoverage(tried) : differenceCoverage(tried)),
    ...(module.poll ? [] : removalCoverage(module.card, tried)),
  ];
}

function waitCoverage(tried: readonly Tried[]): string[] {
  const waits = tried.some(({ decision }) => "refusal" in decision || decision.match !== "same");
  return waits ? [] : ["no case shows a host that the task has to wait for"];
}

function differenceCoverage(tried: readonly Tried[]): string[] {
  const bound = new Set(tried.flatMap(boundNames));
  const shown = new Set(tried.flatMap((trial) => differing(trial)));
  return [
    ...[...bound].filter((name) => !shown.has(name)).map((name) => `no case shows "${name}" in a wrong state`),
    ...[...shown]
      .filter((name) => !tried.some((trial) => isAbsent(trial, name)) && canBeAbsent(tried, name))
      .map((name) => `no case shows "${name}" absent`),
  ];
}

function boundNames({ decision, facts }: Tried): string[] {
  if ("refusal" in decision) return [];
  return Object.keys(facts).filter((name) => decision.want[name] !== undefined);
}

function isAbsent({ values }: Tried, name: string): boolean {
  const value = values[name];
  return value === absent || (Array.isArray(value) && value.includes(absent));
}

function canBeAbsent(tried: readonly Tried[], name: string): boolean {
  const asked = tried.map(({ facts }) => facts[name]).find((fact) => fact !== undefined);
  const fact = asked !== undefined && isFactList(asked) ? asked[0] : asked;
  if (fact === undefined || isControllerFact(fact) || fact.kind === ranKind) return false;
  const { print, parse } = kindOf(fact.kind);
  try {
    if (print === undefined) return false;
    const lines = linesOf(fact, absent);
    return Object.values(lines).every((line) => typeof line === "string") && parse(lines, fact) === absent;
  } catch {
    return false;
  }
}

function removalCoverage({ params }: Subject["module"]["card"], tried: readonly Tried[]): string[] {
  const removes = paramSets(params).some(({ rows }) =>
    rows.some(({ name, type }) => name === "state" && type.includes('"absent"')),
  );
  if (!removes) return [];
  const cases = tried.filter(({ params: own }) => isRecord(own) && own["state"] === "absent");
  return [
    ...(cases.some(({ steps }) => steps.length > 0) ? [] : ['no case shows how state: "absent" removes something']),
    ...(cases.some(({ decision }) => !("refusal" in decision) && decision.match === "same")
      ? []
      : ['no case shows state: "absent" if nothing exists']),
  ];
}

/** A value in a case must be one that the kind can read: printing and parsing it must give the same value. */
function valueLaws({ facts, values }: Tried): string[] {
  return Object.entries(facts).flatMap(([name, asked]) => {
    const value = values[name];
    if (!isFactList(asked)) return valueFault(name, asked, value);
    if (!Array.isArray(value) || value.length !== asked.length) return [`now.${name} must have ${asked.length} values`];
    return asked.flatMap((fact, at) => valueFault(`${name}[${at}]`, fact, value[at]));
  });
}

function valueFault(name: string, fact: Fact, value: unknown): string[] {
  if (isControllerFact(fact) || fact.kind === ranKind) return [];
  const { print, parse } = kindOf(fact.kind);
  if (print === undefined) return [];
  try {
    const read = parse(linesOf(fact, value), fact);
    if (fingerprint(read) === fingerprint(value)) return [];
    return [`now.${name} is not a value that ${fact.kind} can return: it would be read back as ${fingerprint(read)}`];
  } catch (error) {
    return [`now.${name} is not a value that ${fact.kind} can return: ${String(error)}`];
  }
}
