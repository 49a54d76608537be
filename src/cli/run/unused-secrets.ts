import type { Playbook } from "../../core/authoring/playbook.ts";
import { secretsIn } from "../../core/secrets/secret.ts";
import { declaredVars } from "../../load/vars/check-vars.ts";
import { type MergedHost, pick, valuesOf, type Values } from "../../load/vars/precedence.ts";
import type { Planned } from "../../engine/plan/plan.ts";
import type { HostBook } from "../hosts.ts";
import { allTasks, type PlayPlan } from "./plans.ts";

/**
 * The ids of the inventory's secrets that do not occur in `used`. An inventory serves many commands and playbooks, so
 * some of its secrets may not be needed.
 */
export function unusedSecrets(book: HostBook, used: unknown): ReadonlySet<string> {
  const needed = secretsIn(used);
  return new Set([...book.secrets].filter((id) => !needed.has(id)));
}

/** The settings that connections to these hosts use, including those of their jump hosts. */
export function settingsOf(book: HostBook, hosts: readonly string[], become: boolean): unknown {
  return hosts.map((name) => [
    book.address(name),
    ...(become ? [valuesOf(book.merged(name).connection)["become.password"]] : []),
  ]);
}

/**
 * The ids of the inventory's secrets that a playbook does not use. If some tasks are not known before the run, they may
 * act on any host, so the settings of all hosts count as used. If some hosts are not known, the vars of all hosts count
 * as used too.
 */
export function secretsNotUsedBy(
  { vars: schema }: Playbook,
  book: HostBook,
  hosts: readonly MergedHost[],
  plays: readonly PlayPlan[],
): ReadonlySet<string> {
  const plans = plays.flatMap(({ hosts: planned }) => planned?.map(({ plan }) => plan) ?? ["facts-needed" as const]);
  const areHostsKnown = plays.every(({ hosts: planned }) => planned !== undefined);
  const isKnown = !plans.some((plan) => plan === "facts-needed" || plan.some(isLater));
  const targets = plans.flatMap((plan) => (plan === "facts-needed" ? [] : allTasks(plan).map(({ target }) => target)));
  const names = new Set([...hosts.map(({ name }) => name), ...targets.filter((name) => book.has(name))]);
  const { definition } = book.inventory;
  const settings = isKnown
    ? settingsOf(book, [...names], true)
    : [pick(definition).connection, ...book.all().map(({ connection }) => valuesOf(connection))];
  const vars: readonly Values[] = [
    ...(areHostsKnown ? hosts : book.all()).map((host) => valuesOf(host.vars)),
    ...(areHostsKnown ? [] : [definition.vars ?? {}]),
  ];
  return unusedSecrets(book, [
    settings,
    schema === undefined ? [] : vars.map((values) => declaredVars(values, schema)),
  ]);
}

/** True if a node is, or contains, a composite whose tasks are not known before the run. */
function isLater(node: Planned): boolean {
  if (node.node === "group") return [node.children, node.rescue ?? [], node.always ?? []].flat().some(isLater);
  return node.node === "composite";
}
