import { expect, test } from "vitest";
import type { MergedHost } from "../../load/vars/precedence.ts";
import { paintFor } from "../../report/text/colours.ts";
import type { HostBook } from "../hosts.ts";
import { hostText } from "./host-text.ts";
import { overviewText } from "./overview.ts";

const paint = paintFor(false);

test("aligns the columns of hosts whose names have wide characters", () => {
  const hosts = ["服务器", "web1"].map((name) => ({ name, groups: ["web"] }) as unknown as MergedHost);
  const book = {
    address: (name: string) => ({ transport: "ssh", address: name, port: 22, user: "root" }),
    scope: { groups: new Map() },
    inventory: { leftOut: [] },
  } as unknown as HostBook;
  expect(overviewText(hosts, book, paint)).toBe(
    ["hosts", "  服务器  root@服务器  web", "  web1    root@web1    web", ""].join("\n"),
  );
});

test("aligns the vars of a host whose names or values have wide characters", () => {
  const vars = { 城市: { value: "a", origin: "x" }, city: { value: "北京", origin: "y" } };
  expect(hostText({ name: "web1", groups: [], vars }, {}, paint)).toBe(
    ["web1  in no group", '  城市  "a"     x', '  city  "北京"  y', ""].join("\n"),
  );
});

test("lists the 40 hosts of a group as a range, and a few hosts one by one", () => {
  const names = Array.from({ length: 40 }, (_, at) => `web${String(at + 1).padStart(3, "0")}`);
  const groups = new Map([
    ["web", new Set([...names, "db"])],
    ["few", new Set(names.slice(0, 3))],
  ]);
  const hosts = [...names, "db"].map((name) => ({ name, groups: [] }) as unknown as MergedHost);
  const book = {
    address: (name: string) => ({ transport: "ssh", address: name, port: 22, user: "root" }),
    scope: { groups },
    inventory: { leftOut: [] },
  } as unknown as HostBook;
  expect(overviewText(hosts, book, paint).split("\n").slice(-4)).toEqual([
    "groups",
    "  web  web001–web040, db",
    "  few  web001, web002, web003",
    "",
  ]);
});
