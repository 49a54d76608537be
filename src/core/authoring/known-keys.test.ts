import { describe, expect, test } from "vitest";
import { z } from "zod";
import { file } from "../../../tasks/file/file.ts";
import { block, nested, on, once } from "./group.ts";
import { playbook } from "./playbook.ts";
import { composite, role } from "./role.ts";

const conf = { path: "/etc/x", content: "x\n" };
const any = (options: unknown): never => options as never;
const withPlay = (play: object): (() => unknown) => {
  const plays = [{ hosts: "all", tasks: () => [], ...play }];
  return () => playbook({ name: "site", plays });
};
const params = z.strictObject({});
const web = role({ name: "web", summary: "Serve", params }, () => []);
const pair = composite({ name: "pair", summary: "Keep two", params, examples: [{}] }, () => []);
const entry = { name: "vm", address: "10.0.0.2" };

describe("a misspelled option", () => {
  test.each([
    {
      at: "a play",
      act: withPlay({ becom: true, serail: 1 }),
      what: 'unknown options "becom", "serail" of play 1 of the playbook "site"',
      hint: 'Write "become" instead of "becom", "serial" instead of "serail"',
    },
    {
      at: "a play with a name",
      act: withPlay({ name: "Web", handlers: [] }),
      what: 'unknown option "handlers" of the play "Web"',
      hint: 'Leave "handlers" out, or use a known option',
    },
    {
      at: "vars in a play",
      act: withPlay({ vars: {} }),
      what: 'unknown option "vars" of play 1 of the playbook "site"',
      hint: "Move vars to the playbook: playbook({ vars: z.object({ … }), plays: [ … ] })",
    },
    {
      at: "gatherFacts in a play",
      act: withPlay({ gatherFacts: false }),
      what: 'unknown option "gatherFacts" of play 1 of the playbook "site"',
      hint: 'Leave "gatherFacts" out: furrow reads facts when a play uses them',
    },
    {
      at: "notify in a task",
      act: () => file(conf, any({ notify: "restart" })),
      what: 'unknown option "notify" of the task file',
      hint: "List the task in restartOn or reloadOn of the service: run furrow doc service",
    },
    {
      at: "ignoreErrors in a task",
      act: () => file(conf, any({ ignoreErrors: true })),
      what: 'unknown option "ignoreErrors" of the task file',
      hint: 'Write "ignoreFailure" instead of "ignoreErrors"',
    },
    {
      at: "the `become` of a play",
      act: withPlay({ become: { usr: "app" } }),
      what: 'unknown option "usr" of `become` of play 1 of the playbook "site"',
      hint: 'Write "user" instead of "usr"',
    },
    {
      at: "a playbook",
      act: () => playbook(any({ name: "site", var: z.object({}), plays: [] })),
      what: 'unknown option "var" of the playbook "site"',
      hint: 'Write "vars" instead of "var"',
    },
    {
      at: "a task",
      act: () => file(conf, any({ ignorefailure: true, retry: 3, nam: "x" })),
      what: 'unknown options "ignorefailure", "retry", "nam" of the task file',
      hint: 'Write "ignoreFailure" instead of "ignorefailure", "name" instead of "nam"; leave "retry" out, or use a known option',
    },
    {
      at: "the `retries` of a task",
      act: () => file(conf, any({ retries: { times: 2, delay: 5, delaySecond: 1 } })),
      what: 'unknown options "delay", "delaySecond" of `retries` of the task file',
      hint: 'Write "delaySeconds" instead of "delay", "delaySeconds" instead of "delaySecond"',
    },
    {
      at: "a block",
      act: () => block("site", [], any({ recue: [] })),
      what: 'unknown option "recue" of the block "site"',
      hint: 'Write "rescue" instead of "recue"',
    },
    {
      at: "on()",
      act: () => on("db1", [], any({ tag: ["x"] })),
      what: 'unknown option "tag" of on "db1"',
      hint: 'Write "tags" instead of "tag"',
    },
    {
      at: "nested()",
      act: () => nested(entry, [], any({ their: true })),
      what: 'unknown option "their" of nested "vm"',
      hint: 'Write "there" instead of "their"',
    },
    {
      at: "the host of nested()",
      act: () => nested(any({ ...entry, usr: "root" }), []),
      what: 'unknown option "usr" of the host "vm"',
      hint: 'Write "user" instead of "usr"',
    },
    {
      at: "once()",
      act: () => once(["db1"], [], any({ alwys: [] })),
      what: 'unknown option "alwys" of once "db1"',
      hint: 'Write "always" instead of "alwys"',
    },
    {
      at: "a role",
      act: () => web({}, any({ becme: "app" })),
      what: 'unknown option "becme" of the role web',
      hint: 'Write "become" instead of "becme"',
    },
    {
      at: "a composite",
      act: () => pair({}, any({ wen: false })),
      what: 'unknown option "wen" of the task pair',
      hint: 'Write "when" instead of "wen"',
    },
  ])("is refused, and the error names its line: $at", ({ act, what, hint }) => {
    expect(act).toThrow(
      expect.objectContaining({
        code: "E_PLAYBOOK",
        failure: expect.objectContaining({
          what,
          hint,
          where: expect.objectContaining({ source: expect.stringMatching(/known-keys\.test\.ts:\d+:\d+$/) as string }),
          expected: expect.stringMatching(/^one of /) as string,
        }),
      }),
    );
  });

  test.each([
    { at: "a task", act: () => file(conf, any("motd")), what: "the options of the task file are not an object" },
    { at: "a task", act: () => file(conf, any(null)), what: "the options of the task file are not an object" },
    {
      at: "a block",
      act: () => block("b", [], any([file(conf)])),
      what: 'the options of the block "b" are not an object',
    },
  ])("is refused if it is not an object: $what", ({ act, what }) => {
    expect(act).toThrow(expect.objectContaining({ code: "E_PLAYBOOK", failure: expect.objectContaining({ what }) }));
  });

  test("is accepted if its value is undefined; options with known names are accepted too", () => {
    expect(() => [
      file(conf, any({ nam: undefined })),
      file(conf, {
        name: "x",
        tags: ["a"],
        when: true,
        become: "app",
        retries: 1,
        timeoutSeconds: 5,
        ignoreFailure: true,
      }),
      file(conf, { retries: { times: 1, delaySeconds: 1, factor: 2, maxDelaySeconds: 3 }, until: () => true }),
      block("b", [], { name: "c", tags: [], when: true, become: "app", rescue: [], always: [] }),
      playbook(any({ ...playbook({ name: "base", plays: [] }), name: "derived" })),
    ]).not.toThrow();
    expect(
      withPlay({
        name: "p",
        become: { method: "su", user: "app" },
        serial: 1,
        anyFailureFatal: true,
        maxFailPercentage: 10,
        tags: [],
      }),
    ).not.toThrow();
  });
});
