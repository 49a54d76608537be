import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { ownNetwork } from "./own-network.ts";
import { stepOf } from "./sizes.ts";

test.each([
  [1, "small", 0],
  [1, "medium", 1],
  [3, "small", 1],
  [3, "medium", 2],
  [5, "small", 2],
] as const)("gives %i %s nodes a host of size step %i", (nodes, size, step) => {
  expect(stepOf({ nodes, size })).toBe(step);
});

test.each([
  [
    "no name server answers",
    { error: { code: "ENOTFOUND", message: "getaddrinfo ENOTFOUND" } },
    "ENOTFOUND: getaddrinfo",
  ],
  ["a proxy refuses", { status: 407, headers: {}, body: "" }, "status 407"],
  ["a portal answers", { status: 200, headers: {}, body: "<html>log in</html>" }, "<html>log in</html>"],
])("says why the controller's public address is unknown if %s", async (_, answer, current) => {
  const book = playbook({ name: "one", plays: [{ hosts: "all", tasks: () => [ownNetwork({})] }] });
  const { tasks } = await simulate(book, { hosts: ["local"], drivers: { http: () => answer } });
  expect(JSON.stringify(tasks[0])).toContain(current);
});

const outcomeOf = async (call: ReturnType<typeof ownNetwork>, body = "") => {
  const book = playbook({ name: "one", plays: [{ hosts: "all", tasks: () => [call] }] });
  const drivers = { http: () => ({ status: 200, headers: {}, body }) };
  const { tasks } = await simulate(book, { hosts: ["local"], drivers });
  return tasks[0]?.outcome;
};

test("uses the service's answer as the controller's own network if the answer is an address", async () => {
  expect(await outcomeOf(ownNetwork({}), "192.0.2.7\n")).toBe("ok");
  expect(await outcomeOf(ownNetwork({}), "<html>log in</html>")).toBe("failed");
});
