import { undoArm } from "../on-host/sent/undo-arm.ts";
import { undoBegin } from "../on-host/sent/undo-begin.ts";
import { undoEnd } from "../on-host/sent/undo-end.ts";
import { undo } from "../on-host/sent/undo.ts";
import type { ConfirmStep, RunStep } from "./step.ts";

/** A change that can cut the connection, and how the host undoes it without the controller. */
export interface Undo {
  /** One word. A host has only one undo with this name. */
  readonly name: string;
  /** Seconds after which the host reverts the change, unless it is confirmed. */
  readonly withinSeconds: number;
  /** Files and folders that are saved and restored as a whole. */
  readonly paths: readonly string[];
  /** Network interfaces that the change touches. */
  readonly links: readonly string[];
  /**
   * Shell code that makes the change after its files are written. The code continues to run if the connection is lost.
   */
  readonly apply: string;
  /** Shell code that fails, and prints the reason, unless the change has taken effect. */
  readonly check: string;
  /** Shell code that makes the running system use the restored files. */
  readonly live: string;
  /** Shell code that makes a booting system use the restored files, before the network is up. */
  readonly boot: string;
}

/**
 * The step that saves the current state and arms the undo, and the step that makes the change and confirms it. The
 * steps that write files belong between the two.
 */
export function undoSteps(change: Undo): { readonly arm: RunStep; readonly confirm: ConfirmStep } {
  const { name, withinSeconds } = change;
  return {
    arm: {
      step: "run",
      label: `let the host revert the change after ${withinSeconds} s`,
      argv: ["sh", "-c", undoArm, "sh", name, String(Math.max(withinSeconds, preparationSeconds))],
      env: {
        UNDO_PATHS: change.paths.join("\n"),
        UNDO_NETWORK: "yes",
        UNDO_LINKS: change.links.join(" "),
        UNDO_SCRIPT: undo,
        UNDO_LABEL: "",
        UNDO_SAVE: "",
        UNDO_APPLY: change.apply,
        UNDO_STOP: "",
        UNDO_CHECK: change.check,
        UNDO_LIVE: change.live,
        UNDO_BOOT: change.boot,
      },
    },
    confirm: { step: "confirm", undo: name, withinSeconds },
  };
}

/** The step that makes the host begin a change, independently of this connection. */
export function beginStep({ undo: name, withinSeconds }: ConfirmStep): RunStep {
  return { step: "run", label: "begin the change", argv: ["sh", "-c", undoBegin, "sh", name, String(withinSeconds)] };
}

/** Seconds that the steps between arming and the change may take on a slow host. */
const preparationSeconds = 600;

/** The host's report about a change, by the exit code of {@link endStep}. */
export const undoAnswers = {
  confirmed: 0,
  done: 74,
  pending: 75,
  failed: 76,
  withoutEffect: 77,
  reverted: 78,
  unknown: 79,
  notRestored: 80,
};

/** The constant token for a change that is made by the steps after the arming step. */
export const stepsToken = "steps";

/**
 * The step that confirms a change over a new connection, if it is done and has taken effect. `token` is the text that
 * the host printed over an earlier connection once the change was done; it is empty until then. With `holdSeconds`, the
 * undo stays armed, and is due after this many seconds.
 */
export function endStep(name: string, token: string, holdSeconds?: number): RunStep {
  const okExit = Object.values(undoAnswers);
  return {
    step: "run",
    label: "confirm the change",
    argv: ["sh", "-c", undoEnd, "sh", name, token, ...(holdSeconds === undefined ? [] : [String(holdSeconds)])],
    okExit,
    timeoutSeconds: 20,
  };
}
