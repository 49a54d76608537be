import type { RunEvent } from "../core/events.ts";
import { changeLines } from "./changes.ts";
import { errorBlock, errorLine } from "./error-block.ts";
import { type Paint, paintFor, paintOutcome } from "./paint.ts";
import { type Failed, recapLines } from "./recap.ts";
import type { ReportOptions } from "./report.ts";
import { profileLines, slowest, type TimedTask } from "./profile.ts";
import { undecidedText } from "./undecided-text.ts";
import { safeLine } from "./value.ts";
import { count, duration, hostNames, outcomeWord, taskName } from "./words.ts";

type Event<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** The text of a run for people, event by event: what `plain` prints and what stands above the live view. */
export class RunText {
  readonly #paint: Paint;
  readonly #options: Omit<ReportOptions, "write">;
  readonly #failures: Failed[] = [];
  readonly #dependencies: string[] = [];
  readonly #shown = new Set<string>();
  #timed: TimedTask[] = [];
  #mode: Event<"runStarted">["mode"] = "apply";
  #width = 0;
  #warnings = 0;

  constructor(options: Omit<ReportOptions, "write">) {
    this.#options = options;
    this.#paint = paintFor(options.color);
  }

  /** The lines an event adds; none for most. */
  lines(event: RunEvent): string[] {
    const paint = this.#paint;
    switch (event.type) {
      case "runStarted":
        return this.#started(event);
      case "playStarted":
        return [
          "",
          paint.strong(`play ${safeLine(event.play)}`) + paint.dim(`  ${hostNames(event.hosts) || "no hosts"}`),
        ];
      case "hostConnected":
        return this.#verbose(event.host, "connected", paint.dim(`in ${duration(event.durationMs)}`));
      case "taskStarted":
        return event.attempt > 1 || this.#options.verbose
          ? [this.#line(event.host, "started", paint.dim(safeLine(taskName(event.task))), paint.dim)]
          : [];
      case "stepStarted":
        return this.#verbose(event.host, "step", paint.dim(safeLine(event.step)));
      case "stepOutput":
        return this.#output(event);
      case "taskRetry":
        return [
          this.#line(
            event.host,
            "retry",
            `${safeLine(taskName(event.task))} in ${duration(event.delaySeconds * 1000)}`,
            paint.unsure,
          ),
          `    ${errorLine(event.error)}`,
        ];
      case "taskFinished":
        return this.#finished(event);
      case "hostStopped":
        return this.#stopped(event);
      case "rescued":
        return this.#rescued(event);
      case "warning":
        this.#warnings += 1;
        return [this.#line(event.host ?? "", "warning", safeLine(event.text), paint.unsure).trimStart()];
      case "runStopping":
        return [paint.bad(`stopping: ${safeLine(event.reason)}`)];
      case "hostPlanned":
      case "hostDone":
        return [];
      case "runFinished":
        return this.#recap(event);
    }
  }

  #started({ mode, hosts, playbook }: Event<"runStarted">): string[] {
    this.#mode = mode;
    this.#width = Math.min(24, Math.max(0, ...hosts.map((host) => host.length)));
    const verb = mode === "check" ? "checking" : "running";
    const harmless = mode === "check" ? "; nothing is changed" : "";
    return [this.#paint.strong(`${verb} ${safeLine(playbook)}`) + ` on ${count(hosts.length, "host")}${harmless}`];
  }

  #line(host: string, word: string, text: string, paint: (text: string) => string): string {
    const column = this.#mode === "check" ? 12 : 11;
    return `${host.padEnd(this.#width)}  ${paint(word.padEnd(column))}  ${text}`.trimEnd();
  }

  #verbose(host: string, word: string, text: string): string[] {
    return this.#options.verbose ? [this.#line(host, word, text, this.#paint.dim)] : [];
  }

  #output({ host, stream, text }: Event<"stepOutput">): string[] {
    if (!this.#options.verbose) return [];
    const mark = stream === "stderr" ? this.#paint.unsure("|") : this.#paint.dim("|");
    const lines = text.replace(/\n$/, "").split("\n");
    // A progress bar draws over itself: its last state is what stays.
    return lines.map((line) =>
      `${host.padEnd(this.#width)}  ${mark} ${safeLine(line.replace(/\r$/, "").split("\r").at(-1) ?? "")}`.trimEnd(),
    );
  }

  #recap(event: Event<"runFinished">): string[] {
    const recap = recapLines(event, {
      paint: this.#paint,
      folder: this.#options.folder,
      verbose: this.#options.verbose,
      failures: this.#failures,
      dependencies: this.#dependencies,
      warnings: this.#warnings,
    });
    return [...profileLines(event, this.#timed, this.#paint), ...recap];
  }

  #finished(event: Event<"taskFinished">): string[] {
    const { host, task, outcome, changes, notes, because, dependsOn, error, ignored, durationMs } = event;
    this.#timed.push({ host, title: taskName(task), ms: durationMs });
    if (this.#timed.length > 200) this.#timed = slowest(this.#timed);
    // What a wait would wait for is worth a line in a check; why a condition left a task out is not.
    const waitsFor = /^would wait (for .*)$/s.exec(because ?? "")?.[1];
    const quiet = outcome === "skipped" || (outcome === "ok" && notes.length === 0 && waitsFor === undefined);
    if (!this.#options.verbose && quiet) return [];
    const paint = paintOutcome(this.#paint, outcome);
    const long = durationMs >= 1000 && this.#mode === "apply" ? this.#paint.dim(`  ${duration(durationMs)}`) : "";
    const reason =
      because === undefined ? "" : waitsFor === undefined ? `: ${safeLine(because)}` : ` ${safeLine(waitsFor)}`;
    const word =
      waitsFor === undefined ? outcomeWord(outcome, this.#mode) + (ignored ? ", ignored" : "") : "would wait";
    const head = this.#line(host, word, safeLine(taskName(task)) + reason + long, paint);
    const body = changeLines(changes, task.title, { diff: this.#options.diff, paint: this.#paint });
    if (dependsOn !== undefined) {
      this.#dependencies.push(dependsOn.task);
      body.push(undecidedText(dependsOn));
    }
    body.push(...notes.map((note) => `note: ${safeLine(note)}`));
    if (error !== undefined) body.push(...this.#failed(host, taskName(task), error, ignored));
    return [head, ...body.map((line) => `    ${line}`.trimEnd())];
  }

  #failed(host: string, task: string, error: NonNullable<Event<"taskFinished">["error"]>, ignored: boolean): string[] {
    this.#shown.add(`${host} ${errorLine(error)}`);
    if (!ignored) this.#failures.push({ host, task, error });
    return errorBlock(error, { paint: this.#paint, folder: this.#options.folder });
  }

  #stopped({ host, outcome, error }: Event<"hostStopped">): string[] {
    if (this.#shown.has(`${host} ${errorLine(error)}`)) return [];
    this.#failures.push({ host, task: error.failure.where?.task, error });
    const block = errorBlock(error, { paint: this.#paint, folder: this.#options.folder });
    const head = this.#line(host, outcome, "", this.#paint.bad);
    return [head, ...block.map((line) => `    ${line}`)];
  }

  /** What a rescue has made good is no failure of the run. */
  #rescued({ host, group, failures }: Event<"rescued">): string[] {
    for (let left = failures; left > 0; left -= 1) {
      const at = this.#failures.findLastIndex((failed) => failed.host === host);
      if (at >= 0) this.#failures.splice(at, 1);
    }
    return [this.#line(host, "rescued", safeLine(group), this.#paint.good)];
  }
}
