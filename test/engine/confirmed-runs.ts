import { z } from "zod";
import { type Ran, runPlays } from "./runs.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { task } from "../../src/core/authoring/task.ts";
import { FurrowError } from "../../src/core/errors.ts";
import type { Mode } from "../../src/core/events.ts";
import { absent } from "../../src/core/facts/symbols.ts";
import type { Session } from "../../src/core/host/frame.ts";
import { playUndoArmed } from "../../src/core/host/play-undo.ts";
import type { Step, StepResult } from "../../src/core/host/step.ts";
import { undoAnswers } from "../../src/core/host/undo.ts";
import { useWorld } from "../../src/core/world.ts";
import { file } from "../../src/facts/files/file.ts";
import { SimulatedHost } from "../../src/transport/simulated.ts";

let at = 0;

/** Replaces the clock with one that only advances while something waits. */
export function useStandingClock(): void {
  at = 0;
  const unused = (): never => {
    throw new Error("not used here");
  };
  useWorld({
    now: () => at,
    sleep: (ms) => {
      at += ms;
      return Promise.resolve();
    },
    after: () => ({ cancel: () => undefined }),
    every: () => ({ cancel: () => undefined }),
    random: () => 0.5,
    fill: unused,
  });
}

/**
 * Wants a file to exist. The content `cut` cuts the connection, `die` takes the host down, `fail` fails, and `late`
 * takes 40 s.
 */
const put = task({
  name: "put",
  summary: "Write a file",
  params: z.strictObject({ path: z.string(), content: z.string().default("x") }),
  examples: [],
  disturbs: () => [],
})
  .facts((p) => ({ own: file(p.path) }))
  .want(() => ({ own: { type: "file" as const } }))
  .steps((p) => [{ step: "writeFile", path: p.path, text: p.content }]);

/** Writes sshd's configuration. */
export const sshd = (content = "x", options: { become?: string } = {}): Node =>
  put({ path: "/etc/ssh/sshd_config", content }, { name: "sshd", ...options });
/** Writes a sudoers file. */
export const sudo = (
  content = "x",
  options: { retries?: number; ignoreFailure?: boolean; become?: string } = {},
): Node => put({ path: "/etc/sudoers.d/ops", content }, { name: "sudo", ...options });
/** Writes the keys with which a user logs in. */
export const keys = (home: string): Node =>
  put({ path: `${home}/.ssh/authorized_keys`, content: "x" }, { name: "keys" });
/** Writes ufw's configuration. */
export const ufw = (): Node => put({ path: "/etc/ufw/ufw.conf", content: "x" }, { name: "ufw" });
/** Writes a program that the host needs in order to revert changes. */
export const tar = (): Node => put({ path: "/usr/bin/tar" }, { name: "tar" });
/** Writes a file on which nothing depends. */
export const motd = (name = "motd", content = "x"): Node => put({ path: `/etc/${name}`, content }, { name });

/** The result of a run. */
export interface Ended extends Ran {
  /** What was sent to the host, in order: each connection, each file, and everything about the undo. */
  readonly log: readonly string[];
  readonly notes: Readonly<Record<string, readonly string[]>>;
  readonly warnings: readonly string[];
  /** How many times the host was asked whether it could revert. */
  readonly asked: number;
}

/** The state of the host before the run, and what happens in the run. */
export interface ConfirmSetting {
  readonly mode?: Mode;
  readonly user?: string;
  readonly withSystemd?: boolean;
  readonly withoutFlag?: boolean;
  /** True if all files exist before the run. */
  readonly isConverged?: boolean;
  /** What an earlier run has left behind. */
  readonly left?: "armed" | "reverted";
  /** The host's reason for being unable to revert the change. */
  readonly refuses?: string;
  /** What a revert would lose, according to the host. */
  readonly loses?: string;
  /** True if the run is killed when it is about to confirm the end of the play. */
  readonly isKilled?: boolean;
  /** The user who logs in, if other than `user`; the session then becomes `user`. */
  readonly login?: string;
}

const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };

/** Runs tasks with `--confirm-within 30` on a host that reverts changes by itself. */
export async function confirm(tasks: readonly Node[], setting: ConfirmSetting = {}): Promise<Ended> {
  const { mode = "apply", user = "root", withSystemd = true, withoutFlag = false, isConverged = false, left } = setting;
  const { refuses, loses = "", login = user } = setting;
  let asked = 0;
  const kill = new AbortController();
  const log: string[] = [];
  let armed = left === "armed";
  let reverted = left === "reverted" ? "untold" : "";
  let isDead = false;
  let cutAt: number | undefined;
  const state = new Map<string, unknown>([
    ["file:/run/systemd/system", withSystemd ? folder : absent],
    ...["/bin/systemctl", "/bin/uptime"].map((path) => [`program:${path}`, { path }] as const),
    [`file:${playUndoArmed}`, armed ? { type: "file" } : absent],
  ]);
  if (isConverged)
    for (const path of ["/etc/ssh/sshd_config", "/etc/motd", "/etc/sudoers.d/ops"])
      state.set(`file:${path}`, { type: "file", mode: "0644", owner: "root", group: "root" });
  const before = new Map(state);
  const host = new SimulatedHost(state, act);
  const revert = (): void => {
    if (armed) log.push("reverted");
    [armed, cutAt, reverted] = [false, undefined, "untold"];
    for (const id of host.state.keys()) if (!before.has(id)) host.state.delete(id);
  };
  function act(step: Step): StepResult {
    const done = { exitCode: 0, stdout: "", stderr: "" };
    if (step.step === "writeFile") {
      log.push(`write ${step.path}`);
      if (step.text === "fail") return { ...done, exitCode: 1 };
      host.state.set(`file:${step.path}`, { type: "file", mode: "0644", owner: "root", group: "root" });
      if (step.text === "die") isDead = true;
      if (step.text === "die") throw new FurrowError("E_UNREACHABLE", { what: "gone" });
      if (step.text === "cut") cutAt = at;
      if (step.text === "late") at += 40_000;
      if (step.text === "late") revert();
      return done;
    }
    if (step.step !== "run") return done;
    if (step.argv[0]?.startsWith("/bin/") === true) {
      log.push(step.argv.join(" "));
      return done;
    }
    if (step.argv[0] === "systemd-run") {
      revert();
      return done;
    }
    const label = step.env?.["UNDO_LABEL"];
    const paths = step.env?.["UNDO_PATHS"] ?? "";
    if (label !== undefined) {
      const asks = step.env?.["UNDO_ASK"] !== undefined;
      asked += asks ? 1 : 0;
      if (reverted === "untold") {
        if (!asks) reverted = "told";
        return { exitCode: 78, stdout: "", stderr: "on Monday, the host reverted: that" };
      }
      if (refuses !== undefined) return { exitCode: 81, stdout: "", stderr: `${refuses}\n` };
      if (asks) return { ...done, stdout: loses };
      log.push(`arm ${label}: ${paths}`);
      armed = true;
      return { ...done, stdout: loses };
    }
    const [, , , , , token, hold] = step.argv;
    if (!armed) {
      if (reverted === "") return { ...done, exitCode: undoAnswers.unknown };
      reverted = "told";
      return { ...done, exitCode: undoAnswers.reverted };
    }
    if (token === "") return { ...done, exitCode: undoAnswers.done };
    log.push(hold === undefined ? "confirmed" : `due in ${hold}`);
    if (setting.isKilled === true && log.includes("write /etc/motd") && hold === "30") {
      isDead = true;
      kill.abort();
    }
    if (hold === undefined) armed = false;
    return done;
  }
  const open = (as: string): Session => {
    if (isDead) throw new FurrowError("E_UNREACHABLE", { what: "no answer" });
    if (cutAt !== undefined && at - cutAt > 30_000) revert();
    if (cutAt !== undefined) throw new FurrowError("E_UNREACHABLE", { what: "refused" });
    log.push("connect");
    return { ...tolerant(host.open(), as === "root"), user: as };
  };
  const ran = await runPlays([{ hosts: "a", tasks: () => tasks }], {
    mode,
    request: {
      ...(!withoutFlag && { confirmWithinSeconds: 30 }),
      ...(setting.isKilled === true && { stop: kill.signal, kill: kill.signal }),
      connect: ({ become }) => Promise.resolve().then(() => open(become === undefined ? login : user)),
      hostsOf: () => [
        { name: "a", address: "a", groups: [], vars: {}, userFor: (become) => (become === undefined ? login : user) },
      ],
    },
  });
  return {
    ...ran,
    log,
    asked,
    notes: Object.fromEntries(
      ran.events.flatMap((event) => (event.type === "taskFinished" ? [[event.task.title, event.notes]] : [])),
    ),
    warnings: ran.events.flatMap((event) => (event.type === "warning" ? [event.text] : [])),
  };
}

/**
 * A session that accepts the exit codes that a step declares, as a real host does. Only root's session sees whether an
 * undo is armed.
 */
function tolerant(session: Session, isRoot: boolean): Session {
  return {
    ...session,
    async frame(frame, listener, signal) {
      const [first] = frame.items;
      const step = first?.item === "steps" ? first.steps[0] : undefined;
      if (!isRoot && step?.step === "run" && step.okExit?.includes(undoAnswers.unknown) === true)
        return [{ item: "steps", results: [{ exitCode: undoAnswers.unknown, stdout: "", stderr: "" }] }];
      const results = await session.frame(frame, listener, signal);
      return results.map((result, index) => {
        const item = frame.items[index];
        if (result.item !== "steps" || result.failed === undefined || item?.item !== "steps") return result;
        const step = item.steps[result.failed.index];
        const code = result.results.at(-1)?.exitCode ?? 0;
        const isFine = step?.step === "run" && step.okExit?.includes(code) === true;
        return isFine ? { item: "steps", results: result.results } : result;
      });
    },
  };
}
