import { expect, it, test } from "vitest";
import { runPlays } from "../../../test/engine/runs.ts";
import { set } from "../../../test/engine/toy-tasks.ts";
import { block } from "../../core/authoring/group.ts";
import type { Play, PlayHost } from "../../core/authoring/playbook.ts";
import { unreadFacts } from "./host-facts.ts";
import { planPlay, playHosts } from "./plan-play.ts";
import type { RunHost, RunRequest } from "./request.ts";

/** Hosts that count how often one of their names is read. */
function countingHosts(count: number): { hosts: RunHost[]; reads: () => number } {
  let reads = 0;
  const hosts = Array.from({ length: count }, (_, number) => ({
    get name() {
      reads += 1;
      return `h${number}`;
    },
    address: "192.0.2.1",
    groups: [],
    vars: {},
  }));
  return { hosts, reads: () => reads };
}
const play: Play<never> = { hosts: "all", tasks: () => [set({ cell: "x", v: 1 }, { name: "x" })] };

/** Plans one play as the `list` command does. */
function listed(count: number): number {
  const { hosts, reads } = countingHosts(count);
  const request = { playbook: { name: "p", plays: [play] }, varsOf: () => ({}) } as unknown as RunRequest;
  const seen = playHosts(hosts).map((host, at): PlayHost => {
    const counted = { ...host, name: "" };
    return Object.defineProperty(counted, "name", { get: () => hosts[at]?.name });
  });
  for (const host of hosts) expect(planPlay(request, play, seen, host, unreadFacts)).toHaveLength(1);
  return reads();
}

/** Does everything that a run does before its first connection. */
async function prepared(count: number): Promise<number> {
  const { hosts, reads } = countingHosts(count);
  const stop = new Error("enough");
  const sink = (): never => {
    throw stop;
  };
  await expect(runPlays([play], { request: { hostsOf: () => hosts, sink } })).rejects.toBe(stop);
  return reads();
}

it.each([
  ["list", listed],
  ["a run", prepared],
])("reads twice as many names, not four times as many, for twice as many hosts: %s", async (_, act) => {
  const few = await act(100);
  expect(await act(200)).toBeLessThan(2.2 * few);
});

test.each<[string, () => unknown, string, string]>([
  ["returns nothing", () => undefined, "undefined", "Return a list"],
  ["returns a promise", () => Promise.resolve([]), "a promise", "tasks must not be async"],
  ["lists a string", () => ["file /etc/motd"], '"file /etc/motd"', "Call the task with its params"],
  ["lists a promise", () => [Promise.resolve([])], "a promise", "Remove `async`"],
  ["lists a task without a call", () => [set], "a task module without a call", "Call the task with its params"],
])("names the position of the playbook if a play %s", (_what, tasks, current, hint) => {
  const play = { hosts: "all", tasks } as unknown as Play<never>;
  const { hosts } = countingHosts(1);
  const playbook = { name: "p", plays: [play], source: "/site.ts:3:16" };
  const request = { playbook, varsOf: () => ({}) } as unknown as RunRequest;
  expect(() => planPlay(request, play, playHosts(hosts), hosts[0] as RunHost, unreadFacts)).toThrow(
    expect.objectContaining({
      code: "E_PLAYBOOK",
      failure: expect.objectContaining({
        where: expect.objectContaining({ source: "/site.ts:3:16" }) as object,
        current,
        hint: expect.stringContaining(hint) as string,
      }) as object,
    }),
  );
});

test("a list of tasks that contains itself is refused, and so is one that is nested too deeply", async () => {
  const own: unknown[] = [set({ cell: "x", v: 1 })];
  own.push([block("b", [own as never])]);
  const [deep] = Array.from({ length: 20_000 }).reduce<unknown[]>((list) => [list], [set({ cell: "x", v: 1 })]);
  const run = (nodes: unknown): Promise<unknown> => runPlays([{ hosts: "all", tasks: () => nodes as never }]);
  await expect(run(own)).rejects.toMatchObject({
    code: "E_PLAYBOOK",
    failure: { what: "a list of tasks contains itself" },
  });
  await expect(run(deep)).rejects.toMatchObject({
    code: "E_PLAYBOOK",
    failure: { what: "lists of tasks are nested more than 500 levels deep" },
  });
});
