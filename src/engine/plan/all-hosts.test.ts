import { expect, test } from "vitest";
import { once } from "../../core/authoring/group.ts";
import type { Play, PlayContext } from "../../core/authoring/playbook.ts";
import { file } from "../../../tasks/index.ts";
import { unreadFacts } from "./host-facts.ts";
import type { PlannedTask } from "./plan.ts";
import { planPlay, playHosts } from "./plan-play.ts";
import type { RunHost, RunRequest } from "./request.ts";

const all: RunHost[] = ["web1", "web2", "web3"].map((name) => ({
  name,
  address: `${name}.lan`,
  groups: ["web"],
  vars: {},
}));

/**
 * Plans a play whose hosts --limit has reduced to web2. Returns the first task's params, and where `hosts` was read.
 */
function plan(tasks: (context: PlayContext<never>) => ReturnType<Play["tasks"]>, isLimited = true) {
  const play: Play<never> = { hosts: "web", tasks };
  const reads: (string | undefined)[] = [];
  const hosts = isLimited ? all.slice(1, 2) : all;
  const request = {
    playbook: { name: "p", plays: [play] },
    varsOf: () => ({}),
    isLimited,
    allHostsOf: () => all,
    hostsRead: (_play: Play<never>, source: string | undefined) => reads.push(source),
  } as unknown as RunRequest;
  const planned = planPlay(request, play, playHosts(hosts), hosts[0] as RunHost, unreadFacts) as PlannedTask[];
  const [first] = planned;
  return { params: first && "parsed" in first && "params" in first.parsed ? first.parsed.params : undefined, reads };
}

test("a list of peers made from allHosts names every host in the play, regardless of --limit", () => {
  const { params, reads } = plan(({ allHosts }) => [
    file({
      path: "/etc/peers",
      content: allHosts.map(({ name, address, index }) => `${index} ${name} ${address}\n`).join(""),
    }),
  ]);
  expect(params).toMatchObject({ content: "0 web1 web1.lan\n1 web2 web2.lan\n2 web3 web3.lan\n" });
  expect(reads).toEqual([]);
});

test("a list of peers made from hosts under --limit is reported with its line, because hosts are missing from it", () => {
  const peers = ({ hosts }: PlayContext<never>) => [
    file({ path: "/etc/peers", content: hosts.map(({ name }) => name).join("\n") }),
  ];
  const { params, reads } = plan(peers);
  expect(params).toMatchObject({ content: "web2" });
  expect(reads[0]).toMatch(/all-hosts\.test\.ts:\d+:\d+$/);
  expect(plan(peers, false).reads).toEqual([]);
});

test("once(hosts, …) is not reported: it runs on one of the hosts of this run", () => {
  const { reads } = plan(({ hosts }) => [once(hosts, [file({ path: "/etc/motd", content: "" })])]);
  expect(reads).toEqual([]);
});
