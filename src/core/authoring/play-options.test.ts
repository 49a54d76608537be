import { expect, test } from "vitest";
import { z } from "zod";
import { isFurrowError } from "../errors.ts";
import { playbook } from "./playbook.ts";

/** A string that contains this one. */
const containing = (text: string): string => expect.stringContaining(text) as string;

const tasks = (): never[] => [];

function refused(definition: object): object {
  try {
    playbook({ name: "site", plays: [], ...definition });
  } catch (error) {
    if (isFurrowError(error)) return { code: error.code, ...error.failure };
    throw error;
  }
  return {};
}

test.each([
  ["anyFailureFatal", "yes", "true or false", "Write anyFailureFatal: true"],
  ["anyFailureFatal", "no", "true or false", "Write anyFailureFatal: false"],
  ["anyFailureFatal", 1, "true or false", "Write anyFailureFatal: true or anyFailureFatal: false"],
  ["maxFailPercentage", "80%", "a number from 0 to 100", "Write maxFailPercentage: 80"],
  ["maxFailPercentage", 300, "a number from 0 to 100", "Write maxFailPercentage: 100 to allow every host to fail"],
  ["maxFailPercentage", -1, "a number from 0 to 100", "Write a number from 0 to 100"],
  ["maxFailPercentage", Number.NaN, "a number from 0 to 100", "Write a number from 0 to 100"],
  ["serial", 0, "a whole number, 1 or more", "Leave serial out to run all hosts at once"],
  ["serial", -1, "a whole number, 1 or more", "Leave serial out to run all hosts at once"],
  ["serial", [], "a whole number, 1 or more", "Leave serial out to run all hosts at once"],
  ["serial", "abc", "a whole number, 1 or more", "Write a whole number"],
  ["serial", "5", "a whole number, 1 or more", "Write serial: 5, without quotes"],
  ["serial", "0%", "a whole number, 1 or more", "Leave serial out to run all hosts at once"],
  ["serial", [1, "101%"], "a whole number, 1 or more", "Write a whole number"],
  ["serial", 1.5, "a whole number, 1 or more", "Write a whole number"],
  ["hosts", ["web001", "web002"], "a host pattern", 'Write "web001,web002"'],
  ["hosts", 5, "a host pattern", "Write a host pattern"],
  ["name", 5, "text", 'Write "5"'],
  ["tags", "web", "a list of tags", 'Write tags: ["web"]'],
  ["tags", ["web", 5], "a list of tags", 'Write tags: ["web", "5"]'],
  ["become", 1, "true, a user's name", "Write become: true to become root"],
  ["become", "false", "true, a user's name", "Write become: false"],
  ["become", "yes", "true, a user's name", "Write become: true"],
  ["become", "a b", "true, a user's name", "Write"],
  ["tasks", [], "a function", "Write tasks: () => [ … ]"],
  ["tasks", async () => [], "without `async`", "Remove `async`: tasks must not be async; do slow work in a task"],
])("refuses a play with %s: %j when the playbook is made, and says what to write", (option, value, expected, hint) => {
  expect(refused({ plays: [{ name: "web", hosts: "all", tasks, [option]: value }] })).toMatchObject({
    code: "E_PLAYBOOK",
    what: containing(
      `the option \`${option}\` of ${option === "name" ? 'play 1 of the playbook "site"' : 'the play "web"'} cannot be `,
    ),
    where: { source: expect.stringMatching(/play-options\.test\.ts:\d+/) },
    current: expect.any(String),
    expected: expect.stringContaining(expected) as string,
    hint: expect.stringContaining(hint) as string,
  });
});

test.each([
  [{ user: 5 }, "user", "5"],
  [{ method: "sude" }, "method", '"sude"'],
  [{ password: "hunter2" }, "password", "a string"],
])("refuses become: %j of a play and never prints a password", (become, part, current) => {
  expect(refused({ plays: [{ name: "web", hosts: "all", tasks, become }] })).toMatchObject({
    what: containing(`the option \`become.${part}\` of the play "web" cannot be `),
    current,
  });
});

test.each([
  [{ vars: { folder: "/x", workers: 3 } }, "Write vars: z.object({ folder: z.string(), workers: z.number() })"],
  [{ vars: { folder: z.string() } }, "Write vars: z.object({ folder: … })"],
  [{ vars: "x" }, "Write vars: z.object"],
  [{ confirm: true }, "Make it a function that takes { vars, host }"],
  [{ name: 5 }, 'Write "5"'],
  [{ plays: { hosts: "all", tasks } }, "Write the plays in brackets: plays: [ … ]"],
])("refuses a playbook with %j and says what to write", (definition, hint) => {
  expect(refused(definition)).toMatchObject({
    code: "E_PLAYBOOK",
    what: containing(
      `the option \`${Object.keys(definition)[0]}\` of ${"name" in definition ? "a playbook" : 'the playbook "site"'} cannot be `,
    ),
    where: { source: expect.stringMatching(/play-options\.test\.ts:\d+/) },
    hint: expect.stringContaining(hint) as string,
  });
});

test.each([[null], ["web"], [[]], [{ hosts: "all" }], [{ tasks }]])("refuses %j, which is not a play", (given) => {
  expect(refused({ plays: [given] })).toMatchObject({
    code: "E_PLAYBOOK",
    what: 'play 1 of the playbook "site" is not a play',
    hint: expect.stringMatching(/^Give every play/),
  });
});

test("reports all wrong options of all plays at once", () => {
  const plays = [
    { hosts: "all", tasks, serial: 0, anyFailureFatal: "yes" },
    { hosts: ["a"], tasks },
  ];
  expect(refused({ plays })).toMatchObject({
    what: 'the option `serial` of play 1 of the playbook "site" cannot be 0',
    details: [expect.stringContaining("anyFailureFatal"), expect.stringContaining("hosts")],
  });
});

test("accepts every valid value, and undefined for an option that is not given", () => {
  const plays = [
    { hosts: "all", tasks, serial: [1, "25%", "100%"], maxFailPercentage: 0, anyFailureFatal: false, become: "admin" },
    { hosts: "web", tasks, serial: "12.5%", tags: [], become: { method: "su", user: "admin" }, name: undefined },
    { hosts: "web", tasks, become: true, serial: undefined, maxFailPercentage: 100 },
  ];
  expect(refused({ plays, vars: z.object({}), confirm: undefined })).toEqual({});
});
