import { Listr, ProcessOutput, Spinner } from "listr2";
import type { RunEvent } from "../../core/events.ts";
import { HostsRenderer } from "./live-renderer.ts";
import { paintFor } from "../text/colours.ts";
import { Progress } from "./progress.ts";
import type { Report, ReportOptions } from "../report.ts";
import { RunText } from "../run-text.ts";
import { Screen, type Terminal } from "./screen.ts";

/** The options of the live view in addition to those that every report has. */
export interface LiveOptions extends Omit<ReportOptions, "write"> {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/**
 * The maximum number of characters that may wait for the next redraw, so that a host that prints a lot cannot fill the
 * memory.
 */
const mostWaiting = 64 * 1024;

/**
 * The report for terminals. The text of the `plain` report scrolls by at the top; below that text, every working host
 * has a line with its task and its last line of output.
 */
export function liveReport(options: LiveOptions): Report {
  const text = new RunText({ ...options, columns: () => terminal.columns });
  const progress = new Progress();
  const paint = paintFor(options.color);
  const spinner = new Spinner();
  const output = new ProcessOutput(options.stdout, options.stderr);
  const terminal: Terminal = {
    get columns() {
      return options.stdout.columns || 80;
    },
    get rows() {
      return options.stdout.rows || 24;
    },
    write: (part) => void output.toStdout(part, false),
  };
  const screen = new Screen(terminal);
  let waiting = 0;
  const add = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    const added = `${lines.join("\n")}\n`;
    waiting += added.length;
    screen.addAbove(added);
  };
  const draw = (): void => {
    waiting = 0;
    add(text.due());
    const { rows, columns } = terminal;
    screen.draw(progress.lines({ rows, columns, now: Date.now(), spinner: spinner.fetch(), paint }));
  };
  const over = Promise.withResolvers<undefined>();
  let list: Promise<unknown> | undefined;

  const show = (event: RunEvent): void => {
    add(text.lines(event));
    if (waiting > mostWaiting && list !== undefined) draw();
  };
  return {
    handle(event) {
      progress.handle(event, Date.now());
      show(event);
      if (event.type === "runStarted")
        list = start(event.playbook, { over: over.promise, spinner, output, draw, screen });
      if (event.type === "runFinished") over.resolve(undefined);
    },
    async close() {
      add(text.rest());
      over.resolve(undefined);
      await list;
    },
  };
}

interface Parts {
  readonly over: Promise<undefined>;
  readonly spinner: Spinner;
  readonly output: ProcessOutput;
  readonly draw: () => void;
  readonly screen: Screen;
}

function start(title: string, { over, spinner, output, draw, screen }: Parts): Promise<unknown> {
  return new Listr([{ title, task: () => over }], {
    renderer: HostsRenderer,
    fallbackRenderer: HostsRenderer,
    rendererOptions: {
      start() {
        output.hijack();
        spinner.start(draw);
        draw();
      },
      end() {
        spinner.stop();
        screen.draw([]);
        output.release();
      },
    },
    fallbackRendererOptions: {},
    // In furrow, Ctrl-C means "stop after the current task"; src/cli handles it.
    registerSignalListeners: false,
  }).run();
}
