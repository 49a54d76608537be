import { describe, expect, it } from "vitest";
import { failure, finished, label } from "../../../test/report/recorded-run.ts";
import type { RunEvent } from "../../core/events.ts";
import { RunText } from "../run-text.ts";

const plain = { color: false, diff: false, verbose: false, fold: true, folder: "/home/me" };
const motd = label("0", "file /etc/motd");
const conf = label("1", "file /etc/conf");
const changed = (host: string): RunEvent => finished(host, motd, "changed");

function play(hosts: readonly string[]): RunEvent[] {
  return [
    { type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" },
    { type: "playStarted", play: "web", hosts },
  ];
}

describe("a folded line", () => {
  it("names all exceptions if it names any, including a host that was ok and failed later", () => {
    const text = new RunText(plain);
    for (const event of play(["a", "b", "c", "d"])) text.lines(event, 0);
    const events: RunEvent[] = [
      finished("c", motd, "ok"),
      finished("c", conf, "failed", { error: failure }),
      { type: "hostStopped", host: "c", outcome: "failed", error: failure },
      changed("a"),
      finished("d", motd, "ok"),
    ];
    for (const event of events) text.lines(event, 0);
    expect(text.lines(changed("b"), 0)).toEqual(["2 hosts  changed      file /etc/motd  (a, b)"]);
  });

  it("does not depend on whether a host that failed at this task has stopped yet", () => {
    const stop: RunEvent = { type: "hostStopped", host: "c", outcome: "failed", error: failure };
    const lineWith = (stops: readonly RunEvent[]): string => {
      const text = new RunText(plain);
      for (const event of play(["a", "b", "c"])) text.lines(event, 0);
      const events: RunEvent[] = [
        finished("c", conf, "failed", { error: failure }),
        ...stops,
        finished("a", conf, "changed"),
      ];
      for (const event of events) text.lines(event, 0);
      return text.lines(finished("b", conf, "changed"), 0).join();
    };
    const lines = [lineWith([]), lineWith([stop])];
    const whole = "2 hosts  changed      file /etc/conf  (all but c)";
    expect(lines).toEqual([whole, whole]);
  });

  it("names exactly its own hosts, regardless of outcomes and stops", () => {
    const names = ["a", "b", "c", "d", "e"];
    const bits = names.map((_, at) => 4 ** at);
    for (let seed = 0; seed < 4 ** names.length; seed += 1) {
      // Each host has one of four results: changed, ok, unreachable before the task, or ok but failed at the next task.
      const fates = bits.map((bit) => Math.floor(seed / bit) % 4);
      const events = names.flatMap((host, at): RunEvent[] => {
        const stop: RunEvent = { type: "hostStopped", host, outcome: "failed", error: failure };
        if (fates[at] === 0) return [changed(host)];
        if (fates[at] === 1) return [finished(host, motd, "ok")];
        return fates[at] === 2
          ? [stop]
          : [finished(host, motd, "ok"), finished(host, conf, "failed", { error: failure }), stop];
      });
      const text = new RunText(plain);
      const lines = [...play(names), ...events].flatMap((event) => text.lines(event, 0));
      const line = [...lines, ...text.rest()].find((one) => /^\d hosts +changed/.test(one)) ?? "";
      const wanted = names.filter((_, at) => fates[at] === 0);
      const [, but, listed] = /\((all but )?([a-e, ]+)\)$/.exec(line) ?? [];
      if (listed === undefined) continue;
      const named = listed.split(", ");
      expect(
        but === undefined ? named : names.filter((name) => !named.includes(name)),
        `${fates.join("")} ${line}`,
      ).toEqual(wanted);
    }
  });
});
