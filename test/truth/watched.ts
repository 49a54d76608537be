import type { Playbook } from "../../src/core/authoring/playbook.ts";
import { mainTasks, planNodes } from "../../src/engine/plan/plan.ts";
import type { End } from "./scene.ts";

/**
 * Tasks in the catalogue that a watched run cannot test, and why. Tasks that call a cloud's API cannot be tested
 * either, because their facts belong to the controller.
 */
export const elsewhere: readonly { readonly names: RegExp; readonly why: string }[] = [
  { names: /^(assert|httpWait|waitFor)$/, why: "has no steps" },
  { names: /^kube(Evict|Exec|Manifest|Object|Scale|Wait)$/, why: "acts on a cluster's API only" },
  { names: /^(ipmi|redfish)Power$/, why: "acts on a machine's management controller only" },
  { names: /^fetch$/, why: "writes only on the controller" },
  {
    names: /^grubParameter$/,
    why: "needs GRUB, which does not start the watched host: its own test runs it with --paranoid",
  },
  { names: /^chrony(Sync)?$/, why: "needs chrony, which the watched host lacks: its own test runs it with --paranoid" },
  {
    names: /^networkInterface$/,
    why: "needs connections of its own to the watched host: its own test runs it with --paranoid",
  },
  {
    names: /^firewalld$/,
    why: "needs firewalld, which would filter the watched host: its own test runs it with --paranoid",
  },
];

/** The tasks that only watch other tasks. */
const lookers: readonly string[] = ["bystander", "onlooker"];

/** The task modules that a playbook calls, except those that cannot change anything on a host. */
export function watchedBy(book: Playbook, vars: object): Set<string> {
  const setting = { target: "a", path: [], tags: [], when: [], become: undefined };
  const names = book.plays
    .flatMap((play) => mainTasks(planNodes(play.tasks({ vars } as never), setting, "")))
    .filter(({ call }) => call.module.card.service === undefined)
    .map(({ call }) => call.module.card.name);
  return new Set(names.filter((name) => !lookers.includes(name) && !elsewhere.some(({ names: no }) => no.test(name))));
}

/** The modules whose tasks changed nothing in a run, so that watching them proved nothing. */
export function idle(modules: ReadonlySet<string>, ends: readonly End[]): string[] {
  const changed = new Set(ends.filter(({ outcome }) => outcome === "changed").map(({ module }) => module));
  return [...modules].filter((name) => !changed.has(name));
}
