import { expect, test } from "vitest";
import { runPlays } from "../../../test/engine/runs.ts";
import { performToy, set } from "../../../test/engine/toy-tasks.ts";
import { on } from "../../core/authoring/group.ts";
import type { BecomeOptions } from "../../core/inventory/inventory-entries.ts";
import type { RunHost, SessionRequest } from "../plan/request.ts";
import { SimulatedHost } from "../../transport/simulated.ts";

const userFor = (become: BecomeOptions | undefined): string => (become === undefined ? "ann" : (become.user ?? "root"));
const controller: RunHost = {
  name: "localhost",
  address: "localhost",
  groups: [],
  vars: {},
  userFor,
  isController: true,
};

test("a play's become does not apply to the controller, but a task's own become does", async () => {
  const opened: string[] = [];
  const host = new SimulatedHost(new Map(), (step, own) => performToy(step.step === "run" ? step.argv : [], own));
  const request = {
    hostNamed: (name: string) => (name === "localhost" ? controller : undefined),
    connect: ({ host: { name }, become }: SessionRequest) => {
      opened.push(`${name} as ${userFor(become)}`);
      return Promise.resolve(host.open());
    },
  };
  const tasks = () => [
    set({ cell: "one", v: 1 }, { name: "one" }),
    on("localhost", [set({ cell: "two", v: 1 }, { name: "two" })]),
    on("localhost", [set({ cell: "three", v: 1 }, { name: "three" })], { become: "root" }),
    on("localhost", [set({ cell: "four", v: 1 }, { name: "four" })], { become: "ann" }),
  ];
  const { result } = await runPlays([{ hosts: "all", become: true, tasks }], { request });
  expect(result.failed).toEqual([]);
  expect(opened.toSorted()).toEqual(["a as root", "localhost as ann", "localhost as root"]);
});
