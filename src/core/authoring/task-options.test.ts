import { describe, expect, test } from "vitest";
import { z } from "zod";
import { file } from "../../../tasks/file/file.ts";
import { block, nested, on, once } from "./group.ts";
import { composite, role } from "./role.ts";
import { absolutePath } from "../params/schema.ts";

const withOptions = (options: object) => () => file({ path: "/srv/x", content: "" }, options);

describe("task options", () => {
  test.each([
    { option: "retries", options: { retries: -1 } },
    { option: "retries", options: { retries: Number.POSITIVE_INFINITY } },
    { option: "retries", options: { retries: 1.5 } },
    { option: "retries.times", options: { retries: { times: Number.NaN } } },
    { option: "retries.delaySeconds", options: { retries: { times: 1, delaySeconds: -1 } } },
    { option: "retries.factor", options: { retries: { times: 1, factor: Number.POSITIVE_INFINITY } } },
    { option: "retries.maxDelaySeconds", options: { retries: { times: 1, maxDelaySeconds: -1 } } },
    { option: "timeoutSeconds", options: { timeoutSeconds: 0 } },
    { option: "timeoutSeconds", options: { timeoutSeconds: -5 } },
    { option: "timeoutSeconds", options: { timeoutSeconds: Number.POSITIVE_INFINITY } },
    { option: "timeoutSeconds", options: { timeoutSeconds: "5" } },
  ])("are refused when the playbook is loaded: $options", ({ option, options }) => {
    expect(withOptions(options)).toThrow(
      expect.objectContaining({
        code: "E_PLAYBOOK",
        failure: expect.objectContaining({ what: expect.stringContaining(`\`${option}\``) }),
      }),
    );
  });

  const conf = file({ path: "/srv/y", content: "" });
  test.each<{ options: object; what: string; current: string; hint: string }>([
    {
      options: { when: "vars.workers > 3" },
      what: 'the option `when` of the task file cannot be "vars.workers > 3"',
      current: '"vars.workers > 3"',
      hint: "Write the condition without quotes, such as `when: vars.workers > 3`",
    },
    {
      options: { when: undefined },
      what: "the option `when` of the task file is undefined",
      current: "undefined",
      hint: "Give the value a default, or compare it: `when: vars.purge === true`",
    },
    {
      options: { when: conf },
      what: "the option `when` of the task file cannot be a task",
      current: "a task",
      hint: "Write `when: x.changed`, or `when: x.output.map(…)`",
    },
    {
      options: { when: () => true },
      what: "the option `when` of the task file cannot be a function",
      current: "a function",
      hint: "Write the condition itself, or `when: x.output.map(…)`",
    },
    {
      options: { when: 0 },
      what: "the option `when` of the task file cannot be 0",
      current: "0",
      hint: "Write a comparison, such as `when: vars.workers > 3`",
    },
    {
      options: { ignoreFailure: "yes" },
      what: 'the option `ignoreFailure` of the task file cannot be "yes"',
      current: '"yes"',
      hint: "Write ignoreFailure: true",
    },
    {
      options: { temporary: "no" },
      what: 'the option `temporary` of the task file cannot be "no"',
      current: '"no"',
      hint: "Write temporary: false",
    },
    {
      options: { tags: "web" },
      what: 'the option `tags` of the task file cannot be "web"',
      current: '"web"',
      hint: 'Write tags: ["web"]',
    },
    {
      options: { tags: "web, db" },
      what: 'the option `tags` of the task file cannot be "web, db"',
      current: '"web, db"',
      hint: 'Write tags: ["web", "db"]',
    },
    {
      options: { tags: ["web", 7] },
      what: 'the option `tags` of the task file cannot be ["web",7]',
      current: '["web",7]',
      hint: 'Write tags: ["web", "7"]',
    },
    {
      options: { until: "x" },
      what: 'the option `until` of the task file cannot be "x"',
      current: '"x"',
      hint: 'Write a function, such as until: ({ stdout }) => stdout === "ready"',
    },
    {
      options: { name: 5 },
      what: "the option `name` of the task file cannot be 5",
      current: "5",
      hint: 'Write "5"',
    },
    {
      options: { retries: "3" },
      what: 'the option `retries` of the task file cannot be "3"',
      current: '"3"',
      hint: "Correct `retries`",
    },
    {
      options: { retries: null },
      what: "the option `retries` of the task file cannot be null",
      current: "null",
      hint: "Correct `retries`",
    },
  ])("of a wrong type are refused, instead of being ignored: $what", ({ options, what, current, hint }) => {
    const failure = { what, current, hint, expected: expect.any(String) as string };
    expect(withOptions(options)).toThrow(
      expect.objectContaining({ code: "E_PLAYBOOK", failure: expect.objectContaining(failure) as object }) as Error,
    );
  });

  const any = (options: unknown): never => options as never;
  const open = conf.output.map(() => true);
  const params = z.strictObject({});
  const web = role({ name: "web", summary: "Serve", params }, () => []);
  const pair = composite({ name: "pair", summary: "Keep two", params, examples: [{}] }, () => []);
  test.each<{ what: string; act: () => unknown }>([
    { what: 'the option `when` of the block "b" cannot be "no"', act: () => block("b", [], any({ when: "no" })) },
    { what: 'the option `rescue` of the block "b" cannot be a task', act: () => block("b", [], any({ rescue: conf })) },
    { what: 'the option `always` of on "h" cannot be a function', act: () => on("h", [], any({ always: () => [] })) },
    { what: 'the option `tags` of once "h" cannot be "db"', act: () => once(["h"], [], any({ tags: "db" })) },
    {
      what: 'the option `there` of nested "vm" cannot be true',
      act: () => nested({ name: "vm", address: "10.0.0.2" }, [], any({ there: true })),
    },
    { what: "the option `when` of the role web is undefined", act: () => web({}, any({ when: undefined })) },
    { what: 'the tasks of the block "b" are not a list', act: () => block("b", any(conf)) },
    { what: 'the tasks of on "h" are not a list', act: () => on("h", any(conf)) },
    { what: 'the tasks of once "h" are not a list', act: () => once(["h"], any("x")) },
    {
      what: 'the tasks of nested "vm" are not a list',
      act: () => nested({ name: "vm", address: "10.0.0.2" }, any(conf)),
    },
    { what: "the option `name` of the task pair cannot be 7", act: () => pair({}, any({ name: 7 })) },
  ])("of groups are checked too: $what", ({ what, act }) => {
    expect(act).toThrow(
      expect.objectContaining({ code: "E_PLAYBOOK", failure: expect.objectContaining({ what }) as object }) as Error,
    );
  });

  test("are accepted if they are valid", () => {
    const given = { name: "x", tags: ["a"], when: open, become: "app", until: () => true, ignoreFailure: false };
    expect(withOptions(given)).not.toThrow();
    expect(withOptions({ name: undefined, tags: undefined, retries: undefined, temporary: undefined })).not.toThrow();
    expect(() => block("b", [], { when: false, rescue: [conf], always: [] })).not.toThrow();
    expect(() => nested({ name: "vm", address: "10.0.0.2" }, [], { there: open })).not.toThrow();
    expect(withOptions({ retries: 0, timeoutSeconds: 0.5 })).not.toThrow();
    expect(withOptions({ retries: { times: 3, delaySeconds: 0, factor: 1.5, maxDelaySeconds: 0 } })).not.toThrow();
  });
});

test("refuses a path with a carriage return or a newline, because no fact about it could be read", () => {
  expect(absolutePath().safeParse("/srv/p\rq").success).toBe(false);
});
