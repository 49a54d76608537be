import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { operatorDriver } from "./operator.ts";

test("names the account, the machine and one time for the whole run", async () => {
  const read = (): Promise<unknown> => operatorDriver.read({}, new AbortController().signal);
  const first = await read();
  expect(first).toEqual({
    who: expect.stringMatching(`^${userInfo().username}@.`) as string,
    since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
  });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await read()).toEqual(first);
});
