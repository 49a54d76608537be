import { closeTunnels } from "../../core/host/host-tunnels.ts";
import { redact } from "../../core/secrets/redact.ts";
import { pendingSecrets } from "../../core/secrets/secret.ts";
import type { RunRequest } from "../../engine/plan/request.ts";
import { runPlaybook } from "../../engine/run/run.ts";
import { readLastRun, writeLastRun } from "../../load/state/last-run.ts";
import { settleQuietSecrets, settleSecrets } from "../../load/vars/secrets.ts";
import { checkTaskNames } from "../../load/playbook/task-names.ts";
import { LeftHosts, withEarlier } from "./left-hosts.ts";
import { confirmRun } from "./confirm.ts";
import { endNow } from "../end-now.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { allCalls, planAll, plansMade, type PlayPlan } from "./plans.ts";
import { checkSelection, SeenTags } from "./selection.ts";
import { furrowCommand, rerunCommand } from "./rerun.ts";
import { type Prepared, prepareRun, type RunFlags } from "./request.ts";
import { Policy } from "./policy/policy.ts";
import { chooseReport, type ReportFlags } from "./reports.ts";
import { RunEnd } from "./run-end.ts";
import { stopSignals } from "./signals.ts";
import { Strays } from "./stray.ts";
import { warn } from "../terminal.ts";
import { secretsNotUsedBy } from "./unused-secrets.ts";
import { type TypeFlags, withTypes } from "./types-gate.ts";
import { refuseUnknownKeys } from "../words/unknown-keys.ts";
import { usage } from "../words/arguments.ts";

/** The flags of `run` and `check`. */
export interface PlayFlags extends RunFlags, ReportFlags, TypeFlags {
  readonly check?: boolean | undefined;
  readonly "exit-code"?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly "print-policy"?: boolean | undefined;
}

/**
 * Runs or checks a playbook, and returns the exit code. Loads and checks everything, and asks all questions, before the
 * first connection. Throws FurrowError if the run cannot start.
 */
export async function playRun(flags: PlayFlags, vars: readonly string[]): Promise<number> {
  const mode = flags.check === true ? "check" : "apply";
  if (flags["exit-code"] === true && mode === "apply") {
    throw usage("run", "--exit-code reports pending changes, but a run leaves none", "Add --check");
  }
  if (flags.paranoid === true && mode === "check") {
    throw usage("run", "--paranoid checks the effects of steps, but check mode runs no steps", "Leave out --check");
  }
  if (flags["print-policy"] === true && mode === "apply") {
    throw usage("run", "--print-policy prints what a check finds, but this is a run", "Add --check");
  }
  const signals = stopSignals();
  const strays = new Strays((error) => signals.fail(error));
  const report = await chooseReport(flags);
  let notUsed: ReadonlySet<string> = new Set();
  const end = new RunEnd();
  let left: LeftHosts | undefined;
  let isOver = false;
  const seen = new SeenTags();
  const policy = flags["print-policy"] === true ? new Policy() : undefined;
  const keep = unlessFull();
  // Called only after all vars are checked: only then is it known which values are secret.
  const rerun = (): { rerun?: string } =>
    mode === "apply"
      ? {
          rerun: rerunCommand(process.argv.slice(2), (text) => redact(text) !== text, furrowCommand(process.argv[1])),
        }
      : {};
  try {
    const prepare = async (): Promise<Prepared & { readonly plays: readonly PlayPlan[] }> => {
      const prepared = await prepareRun(flags, {
        mode,
        vars,
        stop: signals.stop,
        kill: signals.kill,
        leave: signals.leave,
        sink: (event) => {
          // Play functions that need facts are called only now, and may generate secrets.
          if (event.type === "taskStarted") settleQuietSecrets({ mode, warn, unused: notUsed });
          end.take(event);
          isOver ||= event.type === "runFinished";
          policy?.take(event);
          left?.take(event);
          report.handle(event.type === "runStarted" ? { ...event, ...rerun() } : event);
        },
      });
      const request: RunRequest = {
        ...prepared.request,
        ...(policy !== undefined && { drivers: policy.recording(prepared.request.drivers) }),
        tagsSeen: (tags, play, host, isAnySelected) => seen.add(tags, play, host, isAnySelected),
        requireSelected: () => seen.requireSelected(request, plays),
      };
      const plays = planAll(request);
      checkTaskNames(allCalls(plays));
      checkSelection(request, plays);
      return { ...prepared, request, plays };
    };
    const { request, hosts, book, loaded, plays } = await withTypes(flags, prepare);
    // Nothing has been changed so far. From here on, an interrupted run reports what it leaves behind.
    signals.listen();
    const booked = hosts.map((host) => book.booked(host));
    await confirmRun(request, booked, { yes: flags.yes ?? false, signal: signals.stop });
    notUsed = secretsNotUsedBy(request.playbook, book, hosts, plays);
    const isSettled = pendingSecrets().every(({ id }) => notUsed.has(id));
    await settleSecrets({ mode, warn, unused: notUsed });
    await refuseUnknownKeys(
      hosts.map(({ name }) => book.address(name)),
      signals.kill,
      flags.limit,
    );
    const place = { playbook: flags.playbook, inventories: flags.inventories };
    const start = { run: request.run, playbook: loaded.path, folder: process.cwd() };
    strays.refuse();
    if (mode === "apply") {
      const playsHosts = request.playbook.plays.map((play) => request.hostsOf(play).map(({ name }) => name));
      const covered = [...new Set(playsHosts.flat())];
      const isPartial = (flags.tags ?? flags["skip-tags"] ?? flags["start-at"]) !== undefined;
      const earlier = isPartial ? readLastRun(place) : undefined;
      left = new LeftHosts(playsHosts, (hosts) =>
        keep(() => writeLastRun(place, { ...start, ended: isOver, ...withEarlier(hosts, earlier, covered) }, covered)),
      );
    }
    // Some secrets had no value when the plans were made, so wants that use them could not be compared: make the plans
    // again.
    signals.stop.throwIfAborted();
    const run = runPlaybook(isSettled ? { ...request, plans: plansMade(plays) } : request);
    const result = await end.of(run, process);
    const unusedTags = seen.notice(request, plays);
    if (unusedTags !== undefined) warn(unusedTags);
    strays.refuse();
    return exitCodeOf(result, flags["exit-code"] === true);
  } catch (error) {
    throw strays.error ?? error;
  } finally {
    closeTunnels();
    await report.close();
    policy?.print(flags.json === true);
    // A host that does not answer may keep the process alive, so exit without waiting for it.
    if (signals.leave.aborted) setTimeout(() => endNow(exitCodes.interrupted), 200).unref();
    signals.release();
    strays.release();
  }
}

/**
 * Returns a function that writes the record of unfinished hosts. If writing fails, the run continues, and furrow warns
 * once.
 */
function unlessFull(): (write: () => void) => void {
  let isTold = false;
  return (write) => {
    try {
      write();
    } catch (error) {
      if (!isTold) warn(`@failed and @unfinished will not reflect this run: ${(error as Error).message}`);
      isTold = true;
    }
  };
}
