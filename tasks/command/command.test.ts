import { describe, expect, expectTypeOf, test } from "vitest";
import { absent, isSecret, secret } from "../../src/authoring.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { explain } from "../../src/testing/index.ts";
import { command, type CommandOutput } from "./command.ts";

const program = { path: "/usr/bin/make" };
const there = { type: "file", mode: "0644", owner: "root", group: "root" } as const;
const base = { command: ["make", "install"] };
const runs = (...argv: string[]): object[] => [{ step: "run", argv, okExit: [0] }];

const failure = (input: unknown): { param?: string; current?: string; expected?: string; what: string } => {
  try {
    parseInput(command.card.params, input, {});
  } catch (error) {
    const { where, what, current, expected } = (error as { failure: Record<string, never> }).failure;
    return { ...(where as unknown as object), what, current, expected } as never;
  }
  throw new Error("it parsed");
};

describe("command", () => {
  test.each([
    { title: "nothing at `creates`", guard: { creates: "/opt/app" }, now: { creates: absent }, acts: true },
    { title: "something at `creates`", guard: { creates: "/opt/app" }, now: { creates: there }, acts: false },
    { title: "something at `removes`", guard: { removes: "/opt/app" }, now: { removes: there }, acts: true },
    { title: "nothing at `removes`", guard: { removes: "/opt/app" }, now: { removes: absent }, acts: false },
    {
      title: "`unless` that fails",
      guard: { unless: ["test", "-e", "/x"] },
      now: { unless: { exitCode: 1 } },
      acts: true,
    },
    { title: "`unless` that cannot run", guard: { unless: "x" }, now: { unless: { exitCode: 127 } }, acts: true },
    { title: "`unless` that succeeds", guard: { unless: "true" }, now: { unless: { exitCode: 0 } }, acts: false },
    { title: "`always`", guard: { always: true as const }, now: { ran: false }, acts: true },
    { title: "`always` after an earlier run", guard: { always: true as const }, now: { ran: true }, acts: false },
  ])("given $title, runs the command: $acts", ({ guard, now, acts }) => {
    const { steps } = explain(command({ ...base, ...guard }), { program, ...now });
    expect(steps).toEqual(acts ? runs("make", "install") : []);
  });

  test("refuses a missing program only if the command has to run", () => {
    const call = command({ ...base, creates: "/opt/app" });
    expect(explain(call, { program: absent, creates: absent }).refusal).toMatchObject({
      code: "no-program",
      message: `"make" is not in any directory of the host's PATH`,
    });
    expect(explain(call, { program: absent, creates: there }).refusal).toBeUndefined();
  });

  test("passes a string to the shell, and does not look for a program", () => {
    const { facts, steps } = explain(command({ command: "make | tee log", creates: "/x" }), { creates: absent });
    expect(facts).toEqual(["file:/x"]);
    expect(steps).toEqual(runs("sh", "-c", "make | tee log"));
  });

  test("passes stdin, env, cwd, user and exit codes to the step, and puts secrets only where no other user can read them", () => {
    const token = secret.env("TOKEN");
    const call = command({
      ...base,
      always: true,
      stdin: `token=${token}`,
      env: { TOKEN: token, LANG: "C" },
      cwd: "/srv",
      user: "app",
      okExit: [0, 2],
    });
    const user = {
      uid: 900,
      group: "app",
      groups: [],
      member: { app: true },
      home: "/srv",
      shell: "/bin/sh",
      comment: "",
    };
    const [step] = explain(call, { program, ran: false, user, cwd: { type: "directory" } }).steps;
    expect(step).toMatchObject({ step: "run", argv: ["make", "install"], cwd: "/srv", user: "app", okExit: [0, 2] });
    const { stdin, env } = step as { stdin: string; env: Record<string, string> };
    expect([isSecret(stdin), isSecret(env["TOKEN"]), isSecret(env["LANG"])]).toEqual([true, true, false]);
    expect(() => explain(command({ command: ["curl", `${token}`], always: true }), { program, ran: false })).toThrow(
      /param "command" cannot be secret/,
    );
  });

  test("runs `unless` as the same user in the same directory, and marks it if check mode may run it", () => {
    const [stage] = command.definition.stages;
    const ask = (readOnly: boolean): unknown =>
      stage?.({ ...base, unless: ["id"], readOnly, user: "app", cwd: "/srv" } as never, {} as never);
    const key = JSON.stringify({ argv: ["id"], cwd: "/srv", user: "app" });
    expect(ask(true)).toMatchObject({ unless: { kind: "userCommand", key, facets: ["readOnly"] } });
    expect(ask(false)).toMatchObject({ unless: { kind: "userCommand", key, facets: [] } });
  });

  test("may change anything unless it declares what it changes", () => {
    const { disturbs } = command.card;
    expect(disturbs?.({})).toEqual(["everything"]);
    expect(disturbs?.({ disturbs: ["file:/opt/**"] })).toEqual(["file:/opt/**"]);
    const { mayProvide } = command.card;
    expect(mayProvide?.({})).toEqual([]);
    expect(mayProvide?.({ disturbs: ["file:/opt/**"] })).toEqual(["file:/opt/**"]);
    expect(mayProvide?.({ disturbs: ["everything"], mayProvide: ["unit:*"] })).toEqual(["unit:*"]);
  });

  test("outputs what the program printed", () => {
    const outputs = command.definition.outputs as (...input: unknown[]) => CommandOutput;
    const result = { exitCode: 2, stdout: "out", stderr: "err" };
    expect(outputs({}, {}, [result])).toEqual(result);
    expect(outputs({}, {}, undefined)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expectTypeOf(command({ command: ["id"], always: true }).output.map((output) => output.exitCode)).toEqualTypeOf(
      command({ command: ["id"], always: true }).output.map(() => 0),
    );
  });
});

describe("a command without a guard", () => {
  test("does not type-check", () => {
    // @ts-expect-error -- no creates, removes, unless or always
    command({ command: ["make", "install"] });
    // @ts-expect-error -- `always: false` is not a guard
    command({ command: ["make", "install"], always: false });
    // @ts-expect-error -- an exit code is a number
    command({ command: ["make"], always: true, okExit: ["0"] });
    command({ command: ["make", "install"], always: true });
    expect.assertions(0);
  });

  test.each([
    { title: "no guard", input: base, expected: /exactly one of `creates/ },
    { title: "`always: false`", input: { ...base, always: false }, expected: /true: it runs every time/ },
    { title: "a relative `creates`", input: { ...base, creates: "x" }, expected: /an absolute path, like/ },
    { title: "an empty list", input: { command: [], always: true }, expected: /a program and its arguments/ },
    { title: "an empty text", input: { command: " ", always: true }, expected: /or a shell command/ },
    { title: "a wrong name in env", input: { ...base, always: true, env: { "A-B": "" } }, expected: /a variable name/ },
  ])("refuses params with $title", ({ input, expected }) => {
    expect(`${failure(input).expected} ${failure(input).what}`).toMatch(expected);
  });

  test("refuses two guards", () => {
    expect(failure({ ...base, always: true, creates: "/x" }).what).toMatch(/creates|always/);
  });
});
