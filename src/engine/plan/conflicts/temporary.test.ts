import { describe, expect, test } from "vitest";
import { isFurrowError } from "../../../core/errors.ts";
import { block, type Node, on } from "../../../core/authoring/group.ts";
import * as t from "../../../../tasks/index.ts";
import { checkConflicts } from "./conflicts.ts";
import { planNodes } from "../plan.ts";

const setting = { target: "web1", path: [], tags: [], when: [], become: undefined };
const temporary = { temporary: true };

function refusal(nodes: readonly Node[]): Record<string, unknown> | undefined {
  try {
    checkConflicts(planNodes(nodes, setting, ""));
    return undefined;
  } catch (error) {
    if (!isFurrowError(error) || error.code !== "E_CONFLICTING_WANTS") throw error;
    return { ...error.failure };
  }
}

interface Pair {
  readonly title: string;
  readonly first: (options?: { temporary: boolean }) => Node;
  readonly later: Node;
}

const drained = "/etc/haproxy/off/web1";
const stopped = (options?: { temporary: boolean }): Node => t.service({ name: "app", state: "stopped" }, options);
const started = t.service({ name: "app", state: "started" });

const pairs: Pair[] = [
  {
    title: "a host that is drained and undrained on its load balancer",
    first: (options) => on("lb1", [t.file({ path: drained, content: "" }, options)]),
    later: on("lb1", [t.file({ path: drained, state: "absent" })]),
  },
  { title: "a service that is stopped for a migration and started again", first: stopped, later: started },
  {
    title: "a file that a block's `always` removes",
    first: (options) =>
      block("load", [t.file({ path: "/tmp/dump.sql", content: "x" }, options)], {
        always: [t.file({ path: "/tmp/dump.sql", state: "absent" })],
      }),
    later: [],
  },
  {
    title: "a cron job that is disabled and enabled again",
    first: (options) => t.cron({ name: "app", schedule: "@daily", command: "app rotate", state: "absent" }, options),
    later: t.cron({ name: "app", schedule: "@daily", command: "app rotate" }),
  },
  {
    title: "a file with initial content and a line that a later task changes",
    first: (options) => t.file({ path: "/etc/app.conf", content: "port=1\n" }, options),
    later: t.fileLine({ path: "/etc/app.conf", line: "port=2", match: "^port=" }),
  },
  {
    title: "a directory that is removed together with a file that a later task manages in it",
    first: (options) => t.file({ path: "/srv/app", state: "absent", recursive: true }, options),
    later: t.file({ path: "/srv/app/conf", content: "x" }),
  },
];

describe.each(pairs)("$title", ({ first, later }) => {
  test("is accepted if the first task is marked temporary", () => {
    expect(refusal([first(temporary), t.command({ command: ["app"], always: true }), later])).toBeUndefined();
  });

  test("is refused otherwise, and the hint names the option", () => {
    expect(refusal([first(), later])?.["hint"]).toMatch(/`temporary: true`/);
    expect(refusal([first({ temporary: false }), later])).toBeDefined();
  });
});

describe("a temporary task", () => {
  test("is accepted after a task that wants what the later task restores", () => {
    expect(refusal([started, stopped(temporary), t.service({ name: "app", state: "started" })])).toBeUndefined();
  });

  test("is refused after a task that wants something else if no later task restores it", () => {
    expect(refusal([started, stopped(temporary)])).toMatchObject({ what: expect.stringContaining("unit:app.service") });
    const conf = (content: string, mode?: string): Parameters<typeof t.file>[0] => ({
      path: "/etc/app.conf",
      content,
      ...(mode !== undefined && { mode }),
    });
    const first = t.file(conf("a\n", "0644"), temporary);
    expect(refusal([t.file(conf("b\n", "0600")), first, t.file(conf("b\n"))])).toBeDefined();
    expect(refusal([t.file(conf("b\n", "0600")), first, t.file(conf("b\n", "0600"))])).toBeUndefined();
  });

  test("does not hide a conflict between other tasks", () => {
    const nodes = [stopped(temporary), started, t.service({ name: "app", state: "stopped" })];
    expect(refusal(nodes)).toBeDefined();
  });

  test("does not make the same tasks acceptable without the option", () => {
    expect(refusal([stopped(temporary), started])).toBeUndefined();
    expect(refusal([stopped(), started])).toBeDefined();
  });

  test("may be changed by another temporary task", () => {
    const file = (content: string, options?: object): Node => t.file({ path: "/etc/motd", content }, options);
    expect(refusal([file("a\n", temporary), file("b\n", temporary), file("c\n")])).toBeUndefined();
  });
});
