import { expect, test } from "vitest";
import { z } from "zod";
import { file } from "../../../tasks/file/file.ts";
import { withWrongCalls } from "../wrong-calls.ts";
import { block, nested, on, once } from "./group.ts";
import { role } from "./role.ts";

const f = file({ path: "/etc/x", content: "x\n" });
const any = (value: unknown): never => value as never;
const page = role({ name: "page", summary: "Keep a page", params: z.strictObject({}) }, () => [f]);

const wrong = [
  {
    at: "block([f])",
    act: () => block(any([f]), any(undefined)),
    what: "a block has no name",
    hint: 'Write block("name", [ … ])',
  },
  {
    at: 'block("b", "x")',
    act: () => block("b", any("x")),
    what: 'the tasks of the block "b" are not a list',
    hint: 'Write the tasks in brackets: block("b", [ … ])',
  },
  {
    at: 'block("b", f)',
    act: () => block("b", any(f)),
    what: 'the tasks of the block "b" are not a list',
    hint: 'Write the tasks in brackets: block("b", [ … ])',
  },
  {
    at: 'block("b")',
    act: () => block("b", any(undefined)),
    what: 'the tasks of the block "b" are not a list',
    hint: 'Write the tasks in brackets: block("b", [ … ])',
  },
  {
    at: "rescue: f",
    act: () => block("b", [f], { rescue: any(f) }),
    what: 'the option `rescue` of the block "b" cannot be a task',
    hint: "Write rescue: [ … ]",
  },
  {
    at: "always: f",
    act: () => on("web1", [f], { always: any(f) }),
    what: 'the option `always` of on "web1" cannot be a task',
    hint: "Write always: [ … ]",
  },
  {
    at: "rescue of a role",
    act: () => page({}, { rescue: any(f) }),
    what: "the option `rescue` of the role page cannot be a task",
    hint: "Write rescue: [ … ]",
  },
  {
    at: 'on("web2", f)',
    act: () => on("web2", any(f)),
    what: 'the tasks of on "web2" are not a list',
    hint: 'Write the tasks in brackets: on("web2", [ … ])',
  },
  {
    at: "on([...], [f])",
    act: () => on(any(["web1", "web2"]), [f]),
    what: "on() has no host",
    hint: 'Write on("web1", [ … ]) for one host; list one on() per host',
  },
  {
    at: "on(undefined, [f])",
    act: () => on(any(undefined), [f]),
    what: "on() has no host",
    hint: 'Write on("web1", [ … ])',
  },
  {
    at: "once(hosts, f)",
    act: () => once(["web1"], any(f)),
    what: 'the tasks of once "web1" are not a list',
    hint: "Write the tasks in brackets: once(hosts, [ … ])",
  },
  {
    at: 'once("web1", [f])',
    act: () => once(any("web1"), [f]),
    what: "the hosts of once() are not a list",
    hint: 'Write once(["web1"], [ … ])',
  },
  {
    at: "once([1], [f])",
    act: () => once(any([1]), [f]),
    what: "the hosts of once() are not a list",
    hint: "Write once(hosts, [ … ]) with the hosts of the play",
  },
  {
    at: "nested(vm, f)",
    act: () => nested({ name: "vm", address: "10.0.0.2" }, any(f)),
    what: 'the tasks of nested "vm" are not a list',
    hint: "Write the tasks in brackets: nested(host, [ … ])",
  },
  {
    at: 'nested("vm", [f])',
    act: () => nested(any("vm"), [f]),
    what: "nested() has no host",
    hint: 'Write nested({ name: "vm", address: "…" }, [ … ])',
  },
  {
    at: "a task named 5",
    act: () => file({ path: "/a", content: "" }, { name: any(5) }),
    what: "the option `name` of the task file cannot be 5",
    hint: 'Write "5"',
  },
  {
    at: "a block named 5",
    act: () => block("b", [], { name: any(5) }),
    what: 'the option `name` of the block "b" cannot be 5',
    hint: 'Write "5"',
  },
  {
    at: "a role named 5",
    act: () => page({}, { name: any(5) }),
    what: "the option `name` of the role page cannot be 5",
    hint: 'Write "5"',
  },
];

test.each(wrong)("is refused, and the error gives the line and says what to write: $at", ({ act, what, hint }) => {
  expect(act).toThrow(
    expect.objectContaining({
      code: "E_PLAYBOOK",
      failure: expect.objectContaining({
        what,
        hint,
        current: expect.any(String) as string,
        expected: expect.any(String) as string,
        where: expect.objectContaining({
          source: expect.stringMatching(/group\.test\.ts:\d+:\d+$/) as string,
        }) as object,
      }) as object,
    }),
  );
});

test("is reported together with the other mistakes of a play", () => {
  expect(() => withWrongCalls(() => wrong.map(({ act }) => act()))).toThrow(
    expect.objectContaining({ errors: wrong.map((): unknown => expect.anything()) }),
  );
});
