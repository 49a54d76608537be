import { expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./gce-os-login.cases.ts";
import { gceOsLogin } from "./gce-os-login.ts";

test("gceOsLogin meets the task contract and does what each case says", () => {
  expect(contractOf(gceOsLogin, cases, { folder: "gce-os-login" })).toEqual([]);
});

const caseOf = (title: string) => cases.find((one) => one.title === title) ?? never();
const refusalOf = (title: string): string => {
  const { call, now } = caseOf(title);
  return JSON.stringify(explain(call, now));
};

test.each([
  ["no role to log in", "roles/compute.osAdminLogin for ann@example.com"],
  ["OS Login must be off, but the policy requires it", "ask an administrator of the organization"],
  ["a person, who needs a second factor", "Use a service account"],
  ["the project's metadata cannot be read", "Allow compute.projects.get"],
])("says what to do about: %s", (title, hint) => {
  expect(refusalOf(title)).toContain(hint);
});

function never(): never {
  throw new Error("there is such a case");
}
