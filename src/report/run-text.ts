import type { RunEvent } from "../core/events.ts";
import { readTransferLine } from "../core/transfer-line.ts";
import { changeLines, hiddenDigests } from "./changes/changes.ts";
import { intentLine } from "./changes/intent-line.ts";
import { errorBlock, errorLine, errorLines, type ErrorStyle, isHeld } from "./text/error-block.ts";
import { Connecting } from "./connecting.ts";
import { type Foldable, ownName, withoutName } from "./fold/alike.ts";
import { type Alike, Fold, type Told } from "./fold/fold-hosts.ts";
import { playHosts, whichHosts } from "./fold/short-names.ts";
import { type Paint, paintFor, paintOutcome } from "./text/colours.ts";
import { profileLines } from "./profile.ts";
import { recapLines } from "./recap/recap.ts";
import type { ReportOptions } from "./report.ts";
import { RunRecord, waitsFor } from "./recap/run-record.ts";
import { fitted } from "./text/fitted.ts";
import { undecidedText } from "./text/undecided-text.ts";
import { safeLine } from "./text/value.ts";
import { padded } from "./text/width.ts";
import { count, duration, outcomeWord, taskName } from "./text/words.ts";
import { wrapped } from "./text/wrapped.ts";

type Event<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** Turns a run's events into human-readable text, which `plain` prints and which scrolls above the live view. */
export class RunText {
  readonly #paint: Paint;
  readonly #options: Omit<ReportOptions, "write">;
  readonly #record: RunRecord;
  readonly #fold: Fold | undefined;
  readonly #connecting = new Connecting();

  constructor(options: Omit<ReportOptions, "write">) {
    this.#options = options;
    this.#paint = paintFor(options.color);
    this.#record = new RunRecord(options.verbose);
    if (!options.fold || options.verbose) return;
    this.#fold = new Fold({
      isShown: (event) => this.#record.isShown(event),
      looks: { full: (event) => this.#look(event, true), shown: (event) => this.#look(event, false) },
    });
  }

  /** Returns the lines for an event that happened at `now` (milliseconds); most events have none. */
  lines(event: RunEvent, now: number = Date.now()): string[] {
    this.#record.take(event);
    const own = this.#connecting.without(event);
    return this.#told(this.#fold?.take(own, now) ?? [{ event: own }]);
  }

  /**
   * Returns the lines that have been held back for too long at the time `now`: they are shown without waiting for more
   * hosts with the same result.
   */
  due(now: number = Date.now()): string[] {
    return this.#told(this.#fold?.due(now) ?? []);
  }

  /** Returns all lines that are still held back, for a run that ends without `runFinished`. */
  rest(): string[] {
    return this.#told(this.#fold?.rest() ?? []);
  }

  /** Formats a progress line for a long task, for reports without a live view. */
  working(
    { who, what, output }: { readonly who: string; readonly what: string; readonly output: string },
    ms: number,
  ): string {
    const said = [duration(ms), output === "" ? undefined : safeLine(output)].filter((part) => part !== undefined);
    return this.#line(who, "working", `${safeLine(what)}  ${this.#paint.dim(said.join("  "))}`, this.#paint.dim);
  }

  #told(all: readonly Told[]): string[] {
    return all.flatMap(({ event, alike }) => this.#text(event, alike, this.#options.columns?.()));
  }

  /** Formats an event as lines, for one host or for several with the same result. */
  #text(event: RunEvent, alike?: Alike, columns?: number): string[] {
    const paint = this.#paint;
    switch (event.type) {
      case "runStarted":
        return this.#started(event);
      case "playStarted":
        // With --tags, most plays of a playbook are empty.
        if (event.empty === true && !this.#options.verbose) return [];
        return ["", paint.strong(`play ${safeLine(event.play)}`) + paint.dim(`  ${playHosts(event.hosts)}`)];
      case "batchStarted":
        return [paint.dim(`batch ${event.batch} of ${event.batches}: ${playHosts(event.hosts)}`)];
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
      case "taskRetry": {
        const text = `${safeLine(taskName(event.task))} in ${duration(event.delaySeconds * 1000)}`;
        const head = this.#head(event.host, "retry", text, paint.unsure, alike, "error");
        return alike?.like === undefined ? [...head, ...errorLines(event.error, columns, "    ")] : [...head];
      }
      case "taskFinished":
        return this.#finished(event, alike, columns);
      case "hostStopped":
        return this.#stopped(event, alike, columns);
      case "rescued":
        return [...this.#head(event.host, "rescued", safeLine(event.group), paint.good, alike)];
      case "warning": {
        const line = this.#headLine(event.host ?? "", "warning", safeLine(event.text), paint.unsure, alike);
        return [...wrapped(line.trimStart(), columns, "    ")];
      }
      case "runStopping":
        return wrapped(`stopping: ${safeLine(event.reason)}`, columns, "  ").map((line) => paint.bad(line));
      case "connectRetry":
        return this.#verbose(event.host, "connecting", paint.dim(errorLine(event.error)));
      case "hostPlanned":
      case "hostDone":
        return [];
      case "runFinished":
        return this.#recap(event);
    }
  }

  #started({ mode, hosts, playbook }: Event<"runStarted">): string[] {
    const verb = mode === "check" ? "checking" : "running";
    const harmless = mode === "check" ? "; nothing is changed" : "";
    return [this.#paint.strong(`${verb} ${safeLine(playbook)}`) + ` on ${count(hosts.length, "host")}${harmless}`];
  }

  #line(host: string, word: string, text: string, paint: (text: string) => string): string {
    const column = this.#record.mode === "check" ? 12 : 11;
    return `${padded(host, this.#record.width)}  ${paint(padded(word, column))}  ${text}`.trimEnd();
  }

  /**
   * Formats the first line of an event, for one or more hosts. `what` names what the hosts share in the lines below:
   * `diff` or `error`. If the first line does not fit on the terminal, the hosts are named on a second line.
   */
  #head(
    host: string,
    word: string,
    text: string,
    paint: (text: string) => string,
    alike: Alike | undefined,
    what = "",
  ): readonly string[] {
    if (alike === undefined) return [this.#headLine(host, word, text, paint, alike)];
    return fitted(this.#headLine(host, word, text, paint, alike, what), this.#options.columns?.(), "    ");
  }

  #headLine(
    host: string,
    word: string,
    text: string,
    paint: (text: string) => string,
    alike: Alike | undefined,
    what = "",
  ): string {
    if (alike === undefined) return this.#line(host, word, text, paint);
    const { hosts, others, haveOthersStopped, like, isByDiff } = alike;
    const shared = isByDiff ? "different diffs" : `same ${what}`;
    const same = what === "" || (like === undefined && hosts.length === 1) ? "" : shared;
    const as = same === "" || like === undefined ? same : `${same} as ${like}`;
    const said = [as, whichHosts(hosts, others, haveOthersStopped)].filter((part) => part !== "").join("; ");
    const label = hosts.length === 1 ? (hosts[0] ?? "") : count(hosts.length, "host");
    const whole = (text + (said === "" ? "" : this.#paint.dim(`  (${said})`))).replace(/^ +/, "");
    return this.#line(label, word, whole, paint);
  }

  #verbose(host: string, word: string, text: string): string[] {
    return this.#options.verbose ? [this.#line(host, word, text, this.#paint.dim)] : [];
  }

  #output({ host, stream, text }: Event<"stepOutput">): string[] {
    if (!this.#options.verbose) return [];
    const mark = stream === "stderr" ? this.#paint.unsure("|") : this.#paint.dim("|");
    const lines = text
      .replace(/\n$/, "")
      .split("\n")
      .filter((line) => readTransferLine(line) === undefined);
    // A progress bar overwrites itself, so keep only its last state.
    return lines.map((line) =>
      `${padded(host, this.#record.width)}  ${mark} ${safeLine(line.replace(/\r$/, "").split("\r").at(-1) ?? "")}`.trimEnd(),
    );
  }

  #recap(event: Event<"runFinished">): string[] {
    const { failures, dependencies, warnings, waits, timed, rerun, begun, connected } = this.#record;
    const { folder, verbose, columns } = this.#options;
    const fold = this.#fold !== undefined;
    const recap = recapLines(event, {
      paint: this.#paint,
      folder,
      verbose,
      fold,
      failures,
      dependencies,
      warnings,
      waits,
      rerun,
      begun,
      connected,
      ...(columns !== undefined && { columns: columns() }),
    });
    return [...profileLines(event, timed, this.#paint), ...recap];
  }

  #finished(event: Event<"taskFinished">, alike: Alike | undefined, columns: number | undefined): string[] {
    if (!this.#record.isShown(event)) return [];
    const { outcome, because, ignored, changes, error } = event;
    const { mode } = this.#record;
    const waits = waitsFor(event);
    const ms = alike?.longestMs ?? event.durationMs;
    const upTo = alike !== undefined && alike.hosts.length > 1 ? "up to " : "";
    const long = ms >= 1000 && mode === "apply" ? this.#paint.dim(`  ${upTo}${duration(ms)}`) : "";
    const waiting = waits === undefined || /^(;|$)/.test(waits) ? (waits ?? "") : ` ${waits}`;
    const reason = because === undefined ? "" : waits === undefined ? `: ${safeLine(because)}` : safeLine(waiting);
    const held = error !== undefined && isHeld(error);
    const ended = held ? "held" : outcomeWord(outcome, mode);
    const word = waits === undefined ? ended + (ignored ? ", ignored" : "") : "would wait";
    const paint = paintOutcome(this.#paint, outcome);
    const what = error === undefined ? (changes.length > 0 ? "diff" : "") : "error";
    const title = this.#own((held ? "before " : "") + safeLine(taskName(event.task)) + reason, event, alike);
    const head = this.#head(event.host, word, title + long, paint, alike, what);
    if (alike?.like !== undefined) return [...head];
    return [
      ...head,
      ...this.#body(event, this.#options.diff, bodyColumns(columns, alike)).map((line) =>
        this.#own(`    ${line}`, event, alike).trimEnd(),
      ),
    ];
  }

  /** Formats the lines below a task's first line, without indentation. */
  #body(event: Event<"taskFinished">, diff: boolean, columns?: number, isWhole = false): string[] {
    const { changes, task, dependsOn, intends = [], notes, error } = event;
    const body = changeLines(changes, task.title, { diff, isWhole, mode: this.#record.mode, paint: this.#paint });
    if (dependsOn !== undefined) body.push(...wrapped(undecidedText(dependsOn), columns, "  "));
    const intent = intentLine(intends, task.title);
    if (intent !== "") body.push(intent);
    body.push(...notes.flatMap((note) => wrapped(`note: ${safeLine(note)}`, columns, "  ")));
    if (error !== undefined) body.push(...errorBlock(error, this.#errorStyle(columns)));
    return body;
  }

  /** Removes the host's name from a line if the grouped results differ only in the host name. */
  #own(line: string, { host }: Foldable, alike: Alike | undefined): string {
    return alike?.isByName === true ? withoutName(line, host) : line;
  }

  /**
   * Formats everything that is shown for an event except the host at the beginning, either with the full diffs and the
   * digests that no line shows, or with neither.
   */
  #look(event: Foldable, isFull: boolean): string {
    if (event.type !== "taskFinished") return this.#text(event).join("\n").replace(event.host, "");
    const { outcome, ignored, task, because, changes } = event;
    const hidden = isFull ? hiddenDigests(changes) : [];
    return [
      outcome,
      ignored,
      taskName(task),
      because,
      ...this.#body(event, isFull || this.#options.diff, undefined, isFull),
      ...hidden,
    ].join("\n");
  }

  #errorStyle(columns: number | undefined): ErrorStyle {
    return { paint: this.#paint, folder: this.#options.folder, verbose: this.#options.verbose, columns };
  }

  #stopped(event: Event<"hostStopped">, alike: Alike | undefined, columns: number | undefined): string[] {
    if (!this.#record.isShown(event)) return [];
    const word = isHeld(event.error) ? "held" : event.outcome;
    const head = this.#head(event.host, word, "", this.#paint.bad, alike, "error");
    if (alike?.like !== undefined) return [...head];
    const block = errorBlock(event.error, this.#errorStyle(bodyColumns(columns, alike)));
    return [...head, ...block.map((line) => `    ${line}`)];
  }
}

/** The width that remains on a terminal for indented lines. */
function bodyColumns(columns: number | undefined, alike: Alike | undefined): number | undefined {
  // The placeholder may be longer than the host name that it replaces.
  return columns === undefined ? undefined : columns - 4 - (alike?.isByName === true ? ownName.length : 0);
}
