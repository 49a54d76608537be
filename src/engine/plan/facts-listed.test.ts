import { inspect } from "node:util";
import { expect, it } from "vitest";
import { set } from "../../../test/engine/toy-tasks.ts";
import type { HostFacts, Play } from "../../core/authoring/playbook.ts";
import { unreadFacts } from "./host-facts.ts";
import type { Planned } from "./plan.ts";
import { planPlay, playHosts } from "./plan-play.ts";
import type { RunHost, RunRequest } from "./request.ts";

const facts: HostFacts = {
  hostname: "web",
  os: { id: "debian", version: "12", like: ["debian"] },
  architecture: "x86_64",
  kernel: "6.1",
  processors: 2,
  memoryBytes: 1,
  kvm: false,
  addresses: {},
};
const names = Object.keys(facts).join();

function planned(read: (facts: HostFacts) => string, given: HostFacts): string | Planned[] {
  const host: RunHost = { name: "web", address: "192.0.2.1", groups: [], vars: {} };
  const play = {
    hosts: "all",
    tasks: ({ facts: own }: { facts: HostFacts }) => [set({ cell: "x", v: 1 }, { name: read(own) })],
  } as unknown as Play<never>;
  const request = { playbook: { name: "p", plays: [play] }, varsOf: () => ({}) } as unknown as RunRequest;
  return planPlay(request, play, playHosts([host]), host, given);
}

it.each<[string, (own: HostFacts) => string, string]>([
  ["a spread", (own) => ({ ...own, extra: 1 }).kernel, "6.1"],
  ["in", (own) => ("os" in own ? own.os.id : "no os"), "debian"],
  ["Object.hasOwn", (own) => String(Object.hasOwn(own, "os")), "true"],
  ["Object.keys", (own) => Object.keys(own).join(), names],
  [
    "Object.entries",
    (own) =>
      Object.entries(own)
        .map(([name]) => name)
        .join(),
    names,
  ],
  ["Object.assign", (own) => Object.assign({}, own).kernel, "6.1"],
  [
    "for…in",
    (own) => {
      const seen: string[] = [];
      for (const name in own) seen.push(name);
      return seen.join();
    },
    names,
  ],
  ["JSON.stringify", (own) => JSON.stringify(own), JSON.stringify(facts)],
  ["destructuring with a rest", ({ hostname: _hostname, ...rest }) => rest.kernel, "6.1"],
  ["console.log", (own) => (inspect(own) === inspect(facts) ? "same" : "another"), "same"],
])("facts that the playbook uses with %s are first read from the host, and are not undefined", (_how, read, seen) => {
  expect(planned(read, unreadFacts)).toBe("facts-needed");
  const [task] = planned(read, facts) as unknown as readonly [{ call: { options: { name: string } } }];
  expect(task.call.options.name).toBe(seen);
});

it.each([
  ["before they are read", unreadFacts],
  ["with their values", facts],
])("facts in a text are refused with the line %s, instead of [object Object]", (_when, given) => {
  expect(() => planned((own) => `facts: ${own as unknown as string}`, given)).toThrow(
    expect.objectContaining({
      code: "E_PLAYBOOK",
      failure: expect.objectContaining({
        what: "facts is an object, but is used as a string",
        where: expect.objectContaining({
          source: expect.stringMatching(/facts-listed\.test\.ts:\d+/) as string,
        }) as object,
      }) as object,
    }),
  );
});

it.each<[string, (own: { kernel?: string; os: { like: string[] } }) => unknown]>([
  ["set", (own) => (own.kernel = "7")],
  ["deleted", (own) => delete own.kernel],
  ["reversed", (own) => own.os.like.push("x")],
])("a fact that is %s is refused, because the same facts go into several calls", (_how, change) => {
  const act = (own: HostFacts): string => String(change(own as never));
  expect(planned(act, unreadFacts)).toBe("facts-needed");
  expect(() => planned(act, facts)).toThrow(/cannot be changed/);
  expect(facts.os.like).toEqual(["debian"]);
});
