import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunEvent } from "../../../core/events.ts";
import type { Driver, Permission } from "../../../core/host/driver.ts";
import { Policy } from "./policy.ts";

/** Everything printed, in order; lines of the log are marked. */
let printed: string[] = [];
beforeEach(() => {
  printed = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => printed.push(`log: ${String(text)}`) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const finished = { type: "runFinished" } as RunEvent;
const undecided = (service: string): RunEvent =>
  ({
    type: "taskFinished",
    outcome: "undecided",
    notes: [],
    task: { title: `${service} machine`, service },
  }) as unknown as RunEvent;

async function policyAfter(name: string, permissions: readonly Permission[], ...events: RunEvent[]): Promise<Policy> {
  const policy = new Policy();
  const driver: Driver = {
    name,
    read: () => Promise.resolve(null),
    permissions: () => permissions,
  };
  const recorded = await policy.recording(() => Promise.resolve(driver))(name);
  await recorded.read({}, new AbortController().signal);
  for (const event of events) policy.take(event);
  return policy;
}

test("if a policy may lack permissions, its title and a warning after it say so", async () => {
  const stopped = { type: "hostStopped", host: "local" } as unknown as RunEvent;
  const policy = await policyAfter("ec2", [{ name: "ec2:DescribeImages", on: "*" }], stopped, finished);
  policy.print(false);
  expect(printed[0]).toContain("\nIncomplete IAM policy for Amazon EC2:\n");
  expect(printed[0]).toContain("ec2:DescribeImages");
  expect(printed.at(-1)).toMatch(/^log: .*the policy may lack permissions: the check of local did not finish/s);
});

test("a check of a DigitalOcean playbook says that there is no policy for it, not that the policy may lack permissions", async () => {
  const policy = await policyAfter("digitalOcean", [], undecided("digitalOcean"), finished);
  policy.print(false);
  expect(printed).toHaveLength(1);
  expect(printed[0]).toMatch(/^log: .*--print-policy is not available for DigitalOcean/s);
  expect(policy.result()).toEqual({ complete: false });
});

test("a warning after the policy names a task whose calls are known only during the run", async () => {
  const policy = await policyAfter("ec2", [{ name: "ec2:DescribeImages", on: "*" }], undecided("ec2"), finished);
  policy.print(false);
  expect(printed.at(-1)).toContain("the API calls of ec2 machine are known only during the run");
});
