import { undoArm } from "../on-host/sent/undo-arm.ts";
import { undoRestore } from "../on-host/sent/undo-restore.ts";
import { undoSave } from "../on-host/sent/undo-save.ts";
import { undoStop } from "../on-host/sent/undo-stop.ts";
import { undo } from "../on-host/sent/undo.ts";
import type { RunStep } from "./step.ts";

/** The name of a whole play's undo. A host has only one. */
export const playUndo = "play";

/** The file that exists while the undo of a play is armed. */
export const playUndoArmed = `/var/lib/furrow/undo/${playUndo}/armed/ready`;

/** The exit code of {@link armPlay} if it has printed what the host reverted after an earlier run. */
export const revertedEarlier = 78;

/** The exit code of {@link armPlay} if it has printed why the host could not revert the change. */
export const armRefused = 81;

/**
 * The state to save before a change that could cut off access to a host, and the way to apply restored files to the
 * running system.
 */
export interface Ways {
  /** Files and folders that are saved and restored as a whole. */
  readonly paths: readonly string[];
  /** Folders whose owner, group and mode are saved and restored. */
  readonly folders: readonly string[];
  /** True if addresses and routes are saved and restored. */
  readonly isNetwork: boolean;
  /** Units whose state is saved and restored; those that were running are restarted. */
  readonly units: readonly string[];
  /** Kernel parameters, as paths below /proc/sys. */
  readonly sysctls: readonly string[];
  /** Tables of the packet filter, written as `FAMILY TABLE`. */
  readonly tables: readonly string[];
  /** Shell commands that make the running system read restored files. */
  readonly commands: readonly string[];
}

/**
 * The step that saves what a task may change, and makes the host restore it after `withinSeconds` or at a reboot. If an
 * undo is already armed, its saved state is kept. The step prints what a revert would not restore.
 */
export function armPlay(label: string, ways: Ways, withinSeconds: number): RunStep {
  return {
    step: "run",
    label: `let the host revert this after ${withinSeconds} s, unless it is confirmed`,
    argv: ["sh", "-c", undoArm, "sh", playUndo, String(withinSeconds)],
    okExit: [0, revertedEarlier, armRefused],
    env: {
      UNDO_LABEL: label.replaceAll("\n", " "),
      UNDO_PATHS: ways.paths.join("\n"),
      UNDO_NETWORK: ways.isNetwork ? "yes" : "",
      UNDO_LINKS: "",
      UNDO_SCRIPT: undo,
      UNDO_SAVE: undoSave,
      UNDO_FOLDERS: ways.folders.join("\n"),
      UNDO_UNITS: ways.units.join(" "),
      UNDO_SYSCTLS: ways.sysctls.join(" "),
      UNDO_TABLES: ways.tables.join("\n"),
      UNDO_COMMANDS: ways.commands.join("\n"),
      UNDO_APPLY: "",
      UNDO_STOP: undoStop,
      UNDO_CHECK: "true",
      UNDO_LIVE: undoRestore,
      UNDO_BOOT: `booting=yes\n${undoRestore}`,
    },
  };
}

/** The step that returns what {@link armPlay} would return, but changes nothing. */
export function askPlay(label: string, ways: Ways): RunStep {
  const step = armPlay(label, ways, 0);
  return { ...step, label: "ask whether the host could revert this", env: { ...step.env, UNDO_ASK: "yes" } };
}

/** The step that makes the host revert at once, independently of this connection. */
export function revertPlay(): RunStep {
  const unit = `--unit=furrow-undo-${playUndo}-now`;
  const script = `/var/lib/furrow/undo/${playUndo}/undo`;
  return {
    step: "run",
    label: "revert what is not confirmed",
    argv: ["systemd-run", "--quiet", "--collect", unit, "--on-active=1", "/bin/sh", script, playUndo],
  };
}
