import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Pseudonyms } from "./names.ts";
import { Texts } from "./texts.ts";
import { partNames } from "./words.ts";

const facts = join(import.meta.dirname, "../facts");
/** Kinds of facts that come from the controller or a cloud, which a report does not contain. */
const elsewhere = new Set(["cloud", "controller"]);

test("the field names of all kinds of facts are kept, because a replay could not read the facts without them", () => {
  const textsIn = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter(({ name, parentPath }) => {
        const isElsewhere = [...elsewhere].some((room) => parentPath.includes(`/${room}`));
        return name.endsWith(".ts") && !name.includes(".test.") && !isElsewhere;
      })
      .map(({ name, parentPath }) => readFileSync(join(parentPath, name), "utf8"));
  // A kind that only one task uses is defined in the folder of that task.
  const ofTasks = textsIn(join(facts, "../../tasks")).filter((text) => text.includes("defineKind"));
  const texts = [...textsIn(facts), ...ofTasks];
  const host =
    readFileSync(join(facts, "../core/authoring/playbook.ts"), "utf8").split("export interface PlayContext")[0] ?? "";
  const names = [...texts, host].flatMap((text) =>
    [...text.matchAll(/^ {2,4}readonly (\w+)\??:/gm)].map(([, name]) => name ?? ""),
  );
  expect(names).toContain("primaryOf");
  expect(names).toContain("addresses");
  expect(names.filter((name) => !partNames.has(name))).toEqual([]);
});

const texts = new Texts(new Pseudonyms(), ["file:/opt/tool", "package:acme-agent"], ["acme"]);

test.each([
  ["a path that every host has", "/etc/systemd/system/nginx.service", "/etc/systemd/system/nginx.service"],
  ["a word of the playbook's own questions", "/opt/tool", "/opt/tool"],
  ["one of the user's words, even if a question contains it", "acme-agent", "name1-agent"],
  ["a failed name lookup", "getaddrinfo ENOTFOUND acme", "getaddrinfo ENOTFOUND name1"],
  ["a refused connection", "connect ECONNREFUSED 10.0.0.1:443", "connect ECONNREFUSED 10.0.0.1:443"],
  ["a private address", "192.168.1.7/24", "192.168.1.7/24"],
  ["a public address", "8.8.8.8", "203.0.113.1"],
  ["the same public address", "dns=8.8.8.8,", "dns=203.0.113.1,"],
  ["one of furrow's own MAC addresses", "52:54:00:68:76:01", "52:54:00:68:76:01"],
  [
    "another MAC address, with either separator",
    "9c:8e:99:aa:bb:cc 9C-8E-99-AA-BB-CC",
    "02:00:00:00:00:01 02-00-00-00-00-01",
  ],
  ["a global IPv6 address", "2a01:4f8:c0c:1234::7", "2001:db8::1"],
  ["loopback", "::1 127.0.0.1", "::1 127.0.0.1"],
  ["a disk by its kernel name", "/dev/nvme0n1p2 /dev/sdb", "/dev/nvme0n1p2 /dev/sdb"],
  ["an interface that is named after its address", "enx9c8e99aabbcc", "name2"],
  ["a long number", "port 443, id 1234567", "port 443, id name3"],
  ["letters of any alphabet", "/home/Łukasz/Straße", "/home/name4/name5"],
  ["the type of a partition", "0fc63daf-8483-4772-8e79-3d69d8477de4", "0fc63daf-8483-4772-8e79-3d69d8477de4"],
])("%s", (_what, given, expected) => {
  expect(texts.text(given)).toBe(expected);
});

test("text that already looks like a replacement is itself replaced", () => {
  const own = new Texts(new Pseudonyms());
  expect(own.text("name2 secretive")).toBe("name1 name2");
});
