import { expect, test } from "vitest";
import { paintFor } from "../../report/text/colours.ts";
import { type ListedPlay, listText } from "./list-text.ts";

const style = { paint: paintFor(false), folder: "/home/me", fold: true };
const names = Array.from({ length: 120 }, (_, at) => `web${String(at + 1).padStart(3, "0")}`);

function play(hosts: readonly string[], tasks: ListedPlay["tasks"], undecided: readonly string[] = []): ListedPlay {
  return { play: "web", hosts, undecided, tags: [], tasks };
}

function row(task: string, hosts: readonly string[], source = "/home/me/p.ts:7:5"): ListedPlay["tasks"][number] {
  return { task, module: "file", tags: [], hosts, source };
}

test("shows one line per task for 120 hosts whose tasks differ only in the host name", () => {
  const own = names.map((name) => row(`hostname ${name}`, [name]));
  const motd = row("file /etc/motd", names, "/home/me/p.ts:6:5");
  expect(listText("The fleet", [play(names, [motd, ...own])], style)).toBe(
    [
      "The fleet",
      "",
      "play web  120 hosts: web001–web120",
      "  file /etc/motd   p.ts:6:5",
      "  hostname <host>  p.ts:7:5",
      "",
    ].join("\n"),
  );
});

test("names the hosts of each task that only some hosts have", () => {
  const most = names.filter((name) => name !== "web042");
  const tasks = [
    row("package nginx", most),
    row("package apache", ["web042"]),
    row("file /a", names.slice(0, 60)),
    ...most.map((name) => row(`file /${name}`, [name], "/home/me/p.ts:9:5")),
  ];
  expect(listText("The fleet", [play(names, tasks)], style)).toBe(
    [
      "The fleet",
      "",
      "play web  120 hosts: web001–web120",
      "  package nginx   on all but web042  p.ts:7:5",
      "  package apache  on web042  p.ts:7:5",
      "  file /a         on web001–web060  p.ts:7:5",
      "  file /<host>    on all but web042  p.ts:9:5",
      "",
    ].join("\n"),
  );
});

test("does not say that hosts lack a task if their tasks are not known", () => {
  const tasks = [row("package nginx", names.slice(1))];
  expect(listText("The fleet", [play(names, tasks, names.slice(0, 1))], style)).toBe(
    [
      "The fleet",
      "",
      "play web  120 hosts: web001–web120",
      "  package nginx  on web002–web120  p.ts:7:5",
      "  web001: the tasks are known only after the host's facts are read; a check shows them",
      "",
    ].join("\n"),
  );
});

test("keeps different tasks apart, even if a host's name is a word in their titles", () => {
  const tasks = [row("file /a", ["a", "b"]), row("file /b", ["b"]), row("file /c", ["a"])];
  expect(listText("p", [play(["a", "b"], tasks)], style)).toBe(
    [
      "p",
      "",
      "play web  2 hosts: a, b",
      "  file /a  p.ts:7:5",
      "  file /b  on b  p.ts:7:5",
      "  file /c  on a  p.ts:7:5",
      "",
    ].join("\n"),
  );
});

test("shows each title and each host with --no-fold", () => {
  const hosts = names.slice(0, 8);
  const tasks = [row("file /x", hosts.slice(1)), ...hosts.slice(0, 2).map((name) => row(`hostname ${name}`, [name]))];
  expect(listText("p", [play(hosts, tasks)], { ...style, fold: false })).toBe(
    [
      "p",
      "",
      "play web  8 hosts: web001, web002, web003, web004, web005, web006, web007, web008",
      "  file /x          on web002, web003, web004, web005, web006, web007, web008  p.ts:7:5",
      "  hostname web001  on web001  p.ts:7:5",
      "  hostname web002  on web002  p.ts:7:5",
      "",
    ].join("\n"),
  );
});
