import { describe, expect, it } from "vitest";
import { failure, finished, label } from "../../../test/report/recorded-run.ts";
import type { RunEvent } from "../../core/events.ts";
import { RunText } from "../run-text.ts";

const plain = { color: false, diff: false, verbose: false, fold: true, folder: "/home/me" };
const [drain, work, poll] = [label("0", "drain"), label("1", "work"), label("2", "poll")];
const changed = (host: string, task = work): RunEvent => finished(host, task, "changed");
const failed = (host: string, task = work): RunEvent => finished(host, task, "failed", { error: failure });
const retry = (host: string): RunEvent => ({
  type: "taskRetry",
  host,
  task: poll,
  error: failure,
  delaySeconds: 1,
});
const warning = (host: string, text: string): RunEvent => ({ type: "warning", host, text });
const batch = (number: number, hosts: readonly string[]): RunEvent => ({
  type: "batchStarted",
  batch: number,
  batches: 2,
  hosts,
});

function started(hosts: readonly string[]): RunText {
  const text = new RunText(plain);
  text.lines({ type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts, version: "0" }, 0);
  text.lines({ type: "playStarted", play: "web", hosts }, 0);
  return text;
}

/** The first lines of the events, without the indented lines below them. */
function heads(text: RunText, events: readonly RunEvent[]): string[] {
  return [...events.flatMap((event) => text.lines(event, 0)), ...text.rest()].filter((line) => !line.startsWith(" "));
}

describe("a rolling play", () => {
  it("shows each batch separately, and where it begins", () => {
    const events = ["web1", "web2"].flatMap((host, at) => [
      batch(at + 1, [host]),
      finished(host, label("0", `drain ${host}`), "changed"),
      changed(host),
      { type: "hostDone", host } as const,
    ]);
    expect(heads(started(["web1", "web2"]), events)).toEqual([
      "batch 1 of 2: web1",
      "web1     changed      drain web1",
      "web1     changed      work",
      "batch 2 of 2: web2",
      "web2     changed      drain web2",
      "web2     changed      work",
    ]);
  });

  it("folds equal results of a batch, and says nothing about hosts of other batches", () => {
    const events = [batch(1, ["web1", "web2"]), changed("web1"), changed("web2"), batch(2, ["web3"]), changed("web3")];
    expect(heads(started(["web1", "web2", "web3"]), events)).toEqual([
      "batch 1 of 2: web1, web2",
      "2 hosts  changed      work",
      "batch 2 of 2: web3",
      "web3     changed      work",
    ]);
  });
});

describe("the lines of a host keep the order in which things happened:", () => {
  const hosts = ["web1", "web2", "web3"];

  it("a retry comes after the earlier tasks of its host", () => {
    const events = [changed("web1", drain), changed("web1"), retry("web1"), changed("web2", drain)];
    expect(heads(started(hosts), events)).toEqual([
      "web1     changed      drain",
      "web1     changed      work",
      "web1     retry        poll in 1.0 s",
      "web2     changed      drain",
    ]);
  });

  it("a failure comes after the earlier tasks of its host, and the others still share a line", () => {
    const events = [...hosts.map((host) => changed(host, drain)).slice(0, 2), failed("web1"), changed("web3", drain)];
    expect(heads(started(hosts), events)).toEqual([
      "web1     changed      drain",
      "web1     failed       work",
      "2 hosts  changed      drain  (all but web1)",
    ]);
  });

  it("with many hosts, a result that no other host has comes before the failure of its host", () => {
    const fleet = ["a", "b", "c", "d", "e", "f", "g"];
    const own = finished("a", label("0", "drain"), "changed", { notes: ["drained slowly"] });
    const events = [own, changed("b", drain), changed("a"), changed("b"), failed("a", poll)];
    expect(heads(started(fleet), events)).toEqual([
      "a        changed      drain",
      "a        failed       poll",
      "b        changed      drain",
      "2 hosts  changed      work  (a, b)",
    ]);
  });

  it("a retry that also happened on another host is printed before the end of its task", () => {
    const events = [
      retry("web1"),
      retry("web2"),
      ...hosts.map((host) => changed(host, poll)),
      ...hosts.map((host): RunEvent => ({ type: "hostDone", host })),
    ];
    expect(heads(started(hosts), events)).toEqual([
      "web1     retry        poll in 1.0 s",
      "web2     retry        poll in 1.0 s  (same error as web1)",
      "3 hosts  changed      poll",
    ]);
  });

  it("the result of a later task is held back while more hosts can still join the result of an earlier task", () => {
    const text = started(hosts);
    text.lines(changed("web1", drain), 0);
    text.lines(changed("web1"), 100);
    text.lines(changed("web2", drain), 5000);
    expect(text.due(7900)).toEqual([]);
    expect(text.due(8000)).toEqual(["2 hosts  changed      drain  (all but web3)"]);
    expect(text.due(10_100)).toEqual(["web1     changed      work"]);
  });
});

describe("a warning", () => {
  const hosts = ["web1", "web2", "web3"];
  const stops = (host: string): RunEvent => warning(host, "stops after its task work");

  it("is shown after a second, not at the end of the play, if another host had the same warning", () => {
    const text = started(hosts);
    expect(text.lines(stops("web1"), 0)).toEqual(["web1     warning      stops after its task work"]);
    for (const host of ["web2", "web3"]) expect(text.lines(stops(host), 100)).toEqual([]);
    expect(text.due(1100)).toEqual(["2 hosts  warning      stops after its task work  (all but web1)"]);
  });

  it("is shown before the failure of the task that it is about", () => {
    const events = [stops("web1"), stops("web2"), failed("web2"), failed("web1")];
    expect(heads(started(hosts), events)).toEqual([
      "web1     warning      stops after its task work",
      "web2     warning      stops after its task work",
      "web2     failed       work",
      "web1     failed       work  (same error as web2)",
    ]);
  });

  it("comes after the earlier tasks of its host", () => {
    const text = started(hosts);
    text.lines(stops("web1"), 0);
    for (const host of ["web2", "web3"]) text.lines(changed(host, drain), 0);
    for (const host of ["web2", "web3"]) text.lines(stops(host), 0);
    expect(text.due(1000)).toEqual([
      "2 hosts  changed      drain  (all but web1)",
      "2 hosts  warning      stops after its task work  (all but web1)",
    ]);
  });
});
