import type { HostFact } from "../../../core/facts/fact.ts";
import { playUndoArmed } from "../../../core/host/play-undo.ts";
import type { EventSink, Mode } from "../../../core/events.ts";
import type { OutputLookup } from "../../../core/authoring/ref.ts";
import type { StepOutput } from "../../../core/host/frame.ts";
import type { Step } from "../../../core/host/step.ts";
import type { Host } from "../../host/host.ts";
import type { Outputs } from "../../plan/outputs.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import type { ForecastEnd } from "../../plan/upcoming-tasks.ts";

/** The parts of a task attempt that its undo needs. */
export interface Guarded {
  readonly host: Host;
  readonly mode: Mode;
  readonly signal: AbortSignal;
  readonly title: string;
  readonly playHost: string;
  readonly outputs: Outputs;
  readonly hostIsMissing: boolean;
  readonly simulation?: object | undefined;
  readonly upcoming: (lookup: OutputLookup) => Iterable<PlannedTask | ForecastEnd>;
  readonly onStep: (step: Step) => void;
  readonly onOutput: (output: StepOutput) => void;
}

/** The result of a task that has acted. */
export interface Acted {
  readonly outcome: string;
  readonly notes?: readonly string[];
}

/** The settings of the undo of one host's play. */
export interface PlayUndoSetting {
  readonly withinSeconds: number;
  readonly mode: Mode;
  /** The play's host, with the play's session. */
  readonly host: Host;
  readonly sink: EventSink;
  /**
   * True if a task in the plan may change a way into the host: only then does the run ask the host whether an undo is
   * armed.
   */
  readonly isNeeded: boolean;
}

/** Prints a line as output of the task. */
export function say(planned: PlannedTask, { onOutput }: Guarded, text: string): void {
  onOutput({ task: planned.id, step: 0, stream: "stdout", text: `${text}\n` });
}

/** Whether an undo is armed on the host. */
export const armedFact: HostFact<unknown> = { kind: "file", key: playUndoArmed, facets: [] };
/** Whether the host runs systemd. */
export const systemdFact: HostFact<unknown> = { kind: "file", key: "/run/systemd/system", facets: [] };
