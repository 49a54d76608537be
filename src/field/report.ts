import type { z } from "zod";
import { FurrowError } from "../core/errors.ts";
import { redactor } from "../core/secrets/redact.ts";
import { knownSecrets } from "../core/secrets/secret.ts";
import { type FieldReport, fieldVersion, reportText } from "./format.ts";
import { partNamed, partsOf } from "./listed.ts";
import { Pseudonyms } from "./names.ts";
import type { Recorder } from "./recorder.ts";
import { leftOutKinds, Redactor } from "./redact.ts";
import { Texts, wordsIn } from "./texts.ts";
import { type Json, toData } from "./values.ts";
import { partNames } from "./words.ts";

/** Vars that a report may contain. Other vars can contain anything: keys, certificates, files for the nodes. */
const keptVars: ReadonlySet<string> = new Set(
  (
    "version prefix nodes witness size emulation firmware disks extraDisks diskDeadlineSeconds adopted network token " +
    "password ntpServers mirror artifacts webhooks watchdog publicAddress exposure openFirewall ready airGap"
  ).split(" "),
);

/** The data that was read on one host, and the names that the user gave. */
export interface Gathered {
  readonly subject: string;
  readonly furrow: string;
  readonly host: { readonly name: string; readonly address: string; readonly groups: readonly string[] };
  /** The vars that the playbook declares. Their names are the playbook's own, so they are not redacted. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** The schema of the playbook's vars, whose names and listed values are the playbook's own too. */
  readonly schema?: z.ZodType | undefined;
  /** The names of vars that are secret. */
  readonly secrets: readonly string[];
  readonly recorder: Recorder;
  /** The ids of the facts that depend only on the params of the playbook's tasks, not on the host's answers. */
  readonly asked: Iterable<string>;
  /** Other names that must not be in the file: those of users and key files. */
  readonly names: readonly string[];
}

/**
 * Makes a report from the data that was read. Throws FurrowError E_BUG if the report would contain one of the user's
 * names or secrets.
 */
export function fieldReport(gathered: Gathered): FieldReport {
  const { host, recorder, schema, secrets } = gathered;
  const vars = Object.entries(gathered.vars).map(([name, value]): readonly [string, Json] => [
    name,
    secrets.includes(name) ? { symbol: "secret" } : toData(value),
  ]);
  const hostname = hostnameOf(recorder);
  const own = [host.name, host.address, ...host.groups, ...hostname, ...gathered.names];
  const names = new Pseudonyms();
  const hide = redactor(secretsToHide());
  const texts = new Texts(names, gathered.asked, [...own, ...vars.flatMap(([, value]) => textsIn(value))], hide);
  const rules = new Redactor(names, texts);
  const facts = [...recorder.facts].filter(([id]) => !leftOutKinds.has(kindIn(id)));
  const kept = vars.filter(([name]) => keptVars.has(name));
  const left = [
    ...vars.flatMap(([name]) => (keptVars.has(name) ? [] : [`var ${name}`])),
    ...[...leftOutKinds].filter((kind) => [...recorder.facts.keys()].some((id) => kindIn(id) === kind)),
  ];
  const report: FieldReport = {
    fieldReport: fieldVersion,
    furrow: gathered.furrow,
    subject: gathered.subject,
    origin: { how: "recorded" },
    host: { name: "host", address: texts.text(host.address), groups: [] },
    vars: sorted(kept.map(([name, value]) => [name, rules.data(value, partNamed(partsOf(schema), name))])),
    leftOut: left.toSorted(),
    facts: sorted(facts.map(([id, value]) => [rules.id(id), rules.value(id, toData(value))])),
    answers: sorted([...recorder.answers].map(([id, value]) => [rules.id(id), rules.value(id, toData(value))])),
    unread: sorted([...recorder.unread].map(([id, code]) => [rules.id(id), code])),
  };
  refuseLeaks(report, own, hide, rules.listed);
  return report;
}

function hostnameOf({ facts }: Recorder): string[] {
  return [...facts].flatMap(([id, value]) => {
    if (!id.startsWith("host:") && !id.startsWith("hostname:")) return [];
    const name = typeof value === "object" && value !== null && "hostname" in value ? value.hostname : value;
    return typeof name === "string" ? [name] : [];
  });
}

/** Shorter secrets occur in almost any text. They are replaced anyway, as unknown words. */
const shortest = 6;

/** The secrets with a value, except those that are ordinary words in a report, such as the password `harvester`. */
function secretsToHide(): ReturnType<typeof knownSecrets> {
  return knownSecrets().filter(({ value }) => value.length >= shortest && !isWord(value));
}

/**
 * The last line of defense: a mistake in a rule must not reveal the user's names and secrets. Compares whole words,
 * because a short name is part of many others. `listed`: names and values of vars that the playbook lists, such as
 * `software`, which may also be the name of a host.
 */
function refuseLeaks(
  report: FieldReport,
  own: readonly string[],
  hide: (text: string) => string,
  listed: ReadonlySet<string>,
): void {
  const text = reportText(report);
  const words = new Set(
    wordsIn(JSON.stringify([report.host, report.vars, report.facts, report.answers, report.unread])),
  );
  const names = own
    .flatMap(wordsIn)
    .filter((word) => word.length >= 4 && /\D/.test(word) && !isWord(word) && !listed.has(word));
  const addresses = own.filter((name) => /^[\d.]+$/.test(name) && !isWord(name));
  const found =
    names.some((word) => words.has(word)) ||
    addresses.some((address) =>
      new RegExp(`(?<![\\d.])${address.replaceAll(".", String.raw`\.`)}(?![\\d.])`).test(text),
    ) ||
    hide(text) !== text;
  if (!found) return;
  throw new FurrowError("E_BUG", {
    what: "the field report would contain a name or a secret, so it was not written",
    hint: "Report this bug, without attaching a field report",
  });
}

/** True for a string that any report may contain. */
function isWord(text: string): boolean {
  return partNames.has(text) || new Texts(new Pseudonyms()).text(text) === text;
}

function kindIn(id: string): string {
  return id.slice(0, id.indexOf(":"));
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((part: Json) => textsIn(part));
  return typeof value === "object" && value !== null ? Object.entries(value).flatMap(([, part]) => textsIn(part)) : [];
}

function sorted<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
