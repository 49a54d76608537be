import { describe, expect, test } from "vitest";
import { absent, knownAfterApply } from "../../src/authoring.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { explain } from "../../src/testing/index.ts";
import { formatOf } from "./formats.ts";
import { unarchive } from "./unarchive.ts";

const there = { type: "file", mode: "0644", owner: "root", group: "root" } as const;
const directory = { ...there, type: "directory" } as const;
const sha256 = "a".repeat(64);
const to = "/opt/app";
const onHost = unarchive({ archive: "/srv/app.tar.gz", path: to });
const host = {
  to: directory,
  archive: there,
  content: { sha256 },
  tool: { path: "/bin/tar" },
  filter: { path: "/bin/gzip" },
};
const local = unarchive({ source: "./app.zip", path: to });
const here = {
  to: directory,
  source: { sha256, size: 1, path: "/home/me/app.zip", mode: "0644" },
  tool: { path: "/usr/bin/unzip" },
};
const noted = { archive: `sha256:${sha256}` };

describe("unarchive", () => {
  test("unpacks an archive that was not unpacked before, into a directory that it creates", () => {
    const { described, steps } = explain(onHost, { ...host, to: absent, above: [directory], unpacked: absent });
    expect(described).toEqual(["make directory /opt/app", "unpack /srv/app.tar.gz into /opt/app"]);
    const { argv } = steps[1] as unknown as { argv: string[] };
    expect(argv.slice(4, 9)).toEqual(["/srv/app.tar.gz", to, "tar.gz", "0", ""]);
    expect(argv[10]).toBe(`sha256:${sha256}`);
  });

  test("unpacks again if the content or a param differs", () => {
    const other = { archive: `sha256:${"b".repeat(64)}` };
    expect(explain(onHost, { ...host, unpacked: other }).described).toEqual(["unpack /srv/app.tar.gz into /opt/app"]);
    const stripped = unarchive({ archive: "/srv/app.tar.gz", path: to, strip: 1, keepOwner: true });
    expect(explain(stripped, { ...host, unpacked: noted }).steps).toHaveLength(1);
    expect(
      explain(stripped, { ...host, unpacked: { archive: `${noted.archive}, strip 1, owners kept` } }).steps,
    ).toEqual([]);
  });

  test("does not unpack an archive again", () => {
    expect(explain(onHost, { ...host, unpacked: noted })).toMatchObject({ steps: [], change: {} });
    expect(explain(onHost, { ...host, unpacked: noted, tool: absent }).refusal).toBeUndefined();
  });

  test("uses `creates` if given, and then needs no archive", () => {
    const call = unarchive({ archive: "/srv/app.tar.gz", path: to, creates: "/opt/app/bin" });
    expect(explain(call, { ...host, archive: absent, creates: there, unfinished: absent })).toMatchObject({
      steps: [],
      change: {},
    });
    expect(explain(call, { ...host, creates: absent, unfinished: absent }).change).toEqual({
      "file:/opt/app/bin": [""],
    });
    expect(explain(call, { ...host, creates: absent, unfinished: absent }).facts).not.toContain(
      "digest:/srv/app.tar.gz",
    );
  });

  test("uploads an archive from the controller next to its target, and removes it afterwards", () => {
    const staged = `/opt/app/.furrow-${sha256.slice(0, 16)}.part`;
    expect(explain(local, { ...here, unpacked: absent }).steps).toMatchObject([
      { step: "upload", from: "./app.zip", path: staged, sha256, mode: "0600" },
      { step: "run" },
      { step: "remove", path: staged },
    ]);
  });

  test("declares that it may provide anything below the directory, except the path in `creates`", () => {
    expect(unarchive.card.mayProvide?.({ path: to, creates: "/opt/app/bin" })).toEqual([
      "file:/opt/app/**",
      "!file:/opt/app/bin",
    ]);
  });

  test.each([
    {
      title: "no archive on the host",
      call: onHost,
      now: { ...host, archive: absent, content: absent, unpacked: absent },
      code: "no-archive",
    },
    {
      title: "a directory in place of the archive",
      call: onHost,
      now: { ...host, archive: directory, content: absent, unpacked: absent },
      code: "no-archive",
    },
    {
      title: "no archive on the controller",
      call: local,
      now: { ...here, source: absent, unpacked: absent },
      code: "no-archive",
    },
    {
      title: "a file instead of the directory",
      call: local,
      now: { ...here, to: there, unpacked: absent },
      code: "in-the-way",
    },
    { title: "no unzip", call: local, now: { ...here, tool: absent, unpacked: absent }, code: "no-program" },
    { title: "no gzip", call: onHost, now: { ...host, filter: absent, unpacked: absent }, code: "no-program" },
  ])("refuses if it finds $title", ({ call, now, code }) => {
    expect(explain(call, now).refusal?.code).toBe(code);
  });

  test("suggests removing an obstructing file in another playbook, because the two tasks would conflict in this one", () => {
    expect(explain(local, { ...here, to: there, unpacked: absent }).refusal?.hint).toMatch(
      /^Remove it by hand, or with file\(.*state: "absent" }\) in another playbook$/,
    );
  });

  test("does not refuse a missing tool that an earlier package task may install", () => {
    const now = { ...host, tool: knownAfterApply, filter: knownAfterApply, unpacked: absent };
    expect(explain(onHost, now).steps).toHaveLength(1);
  });

  test.each([
    { input: { archive: "/srv/app.bin", path: to }, expected: /a `format`, because the name does not show it/ },
    { input: { path: to }, expected: /`archive`, a path on the host, or `source`/ },
    { input: { archive: "/a.zip", path: to, strip: 1 }, expected: /parts cannot be stripped from a zip/ },
    { input: { archive: "/a.zip", path: "opt" }, expected: /an absolute path/ },
    { input: { archive: "/a", path: to, format: "rar" }, expected: /one of tar, tar\.gz/ },
  ])("refuses bad params and names the expected form: $expected", ({ input, expected }) => {
    const failure = expect.objectContaining({ expected: expect.stringMatching(expected) as string }) as object;
    expect(() => parseInput(unarchive.card.params, input, {})).toThrow(expect.objectContaining({ failure }) as Error);
  });
});

test.each([
  ["a.tar", "tar"],
  ["a.TGZ", "tar.gz"],
  ["a.tar.zst", "tar.zst"],
  ["a.txz", "tar.xz"],
  ["a.b.tbz2", "tar.bz2"],
  ["a.zip", "zip"],
  ["a.gz", undefined],
])("recognizes %s as %s by its name", (name, format) => {
  expect(formatOf(name)).toBe(format);
});
