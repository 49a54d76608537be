import type { FactChange, HostProfile, HostRecap, RunEvent, TaskLabel } from "../core/events.ts";
import { clean, cleanFields, cleanList, type FieldRules } from "./clean.ts";

/**
 * Redacts every text in an event. Furrow's own words (the type, outcomes, counts) and the names of hosts stay as they
 * are, even if a secret has the same value.
 */
export function cleanEvent(event: RunEvent): RunEvent {
  return cleanFields(event, eventRules);
}

/** Numbers that furrow measured or counted. */
const measures = ["durationMs", "delaySeconds", "attempt", "tasks", "failures", "controller"];

const eventRules: FieldRules = {
  kept: ["type", "run", "mode", "host", "hosts", "version", "stream", "outcome", "connection", ...measures],
  by: {
    task: cleanLabel,
    changes: cleanChanges,
    intends: cleanChanges,
    dependsOn: (on: object) => cleanFields(on),
    recap: cleanRecap,
  },
};

const labelRules: FieldRules = { kept: ["id", "module", "service", "on"] };

function cleanLabel(label: TaskLabel): TaskLabel {
  return cleanFields(label, labelRules);
}

function cleanChanges(changes: readonly FactChange[]): readonly FactChange[] {
  return cleanList(changes, (change) =>
    cleanFields(change, {
      by: { differences: (list: FactChange["differences"]) => cleanList(list, (one) => cleanFields(one)) },
    }),
  );
}

function cleanRecap(recap: readonly HostRecap[]): readonly HostRecap[] {
  return cleanList(recap, (host) => ({ ...host, ...cleanTexts(host) }));
}

function cleanTexts({ next, profile }: HostRecap): Partial<HostRecap> {
  return {
    ...(next !== undefined && { next: clean(next) as string }),
    ...(profile !== undefined && { profile: cleanProfile(profile) }),
  };
}

function cleanProfile(profile: HostProfile): HostProfile {
  const tasks = profile.tasks.map((task) => ({ ...task, title: clean(task.title) as string }));
  return { ...profile, tasks };
}
