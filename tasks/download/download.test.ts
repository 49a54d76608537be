import { describe, expect, test } from "vitest";
import { absent, knownAfterApply } from "../../src/authoring.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { reveal, secretOf } from "../../src/core/secrets/secret.ts";
import { explain } from "../../src/testing/index.ts";
import { download } from "./download.ts";

const hex = "a".repeat(64);
const url = "https://example.org/a/image%201.iso";
const path = "/srv/image.iso";
const there = { type: "file", mode: "0644", owner: "root", group: "root" } as const;
const parent = { ...there, type: "directory" } as const;
const tools = { curl: { path: "/usr/bin/curl" }, wget: absent };
const base = { parent, ...tools };
const byValue = download({ url, path, checksum: `sha256:${hex}` });
const byList = download({ url, path, checksum: { url: "https://example.org/SHA256SUMS" } });
const list = { status: 200, headers: {}, body: `${hex}  image 1.iso\n` };

const words = (steps: readonly object[]): string[] => (steps[0] as { argv: string[] }).argv.slice(4);

describe("download", () => {
  test("downloads a missing file", () => {
    const { steps, described, change } = explain(byValue, { ...base, path: absent, digest: absent });
    expect(change).toEqual({ "file:/srv/image.iso": [""], "digest:/srv/image.iso": [""] });
    expect(described).toEqual([`download ${url} to ${path}`]);
    expect(words(steps).slice(0, 5)).toEqual([url, path, "/srv/.image.iso.part", "sha256", hex]);
  });

  test.each([
    { title: "the digest differs", now: { path: there, digest: { sha256: "b".repeat(64), stamped: false } } },
    { title: "the file is gone although its digest is known", now: { path: absent, digest: { sha256: hex } } },
  ])("downloads again if $title", ({ now }) => {
    expect(explain(byValue, { ...base, ...now }).described).toEqual([`download ${url} to ${path}`]);
  });

  test("leaves a correct file alone, even if the host has no download program", () => {
    const now = { ...base, path: there, digest: { sha256: hex, stamped: true }, curl: absent };
    expect(explain(byValue, now)).toMatchObject({ steps: [], notes: [] });
  });

  test("notes that a file had to be read in full", () => {
    const now = { ...base, path: there, digest: { sha256: hex, stamped: false } };
    expect(explain(byValue, now)).toMatchObject({ steps: [], notes: [expect.stringContaining("was read in full")] });
  });

  test("fixes only the mode", () => {
    const call = download({ url, path, checksum: `sha256:${hex}`, mode: "0600" });
    expect(explain(call, { ...base, path: there, digest: { sha256: hex } }).described).toEqual([`set 0600 on ${path}`]);
  });

  test("accepts any existing file with the checksum `none`", () => {
    const call = download({ url, path, checksum: "none" });
    expect(explain(call, { ...base, path: there }).steps).toEqual([]);
    expect(words(explain(call, { ...base, path: absent }).steps).slice(3, 5)).toEqual(["", ""]);
  });

  test("finds the checksum in a list", () => {
    expect(explain(byList, { ...base, list, path: there, listed: { sha256: hex } }).steps).toEqual([]);
    expect(words(explain(byList, { ...base, list, path: absent, listed: absent }).steps).slice(3, 5)).toEqual([
      "sha256",
      hex,
    ]);
  });

  test("downloads if an earlier package task may install the tool", () => {
    const now = { ...base, path: absent, digest: absent, curl: knownAfterApply, wget: knownAfterApply };
    expect(explain(byValue, now).described).toHaveLength(1);
  });

  test("passes secret headers on stdin, and sends them with the request for the checksum list only if the server is the same", () => {
    const headers = { Authorization: `Bearer ${secretOf('t"k', "token")}` };
    const call = download({ url, path, checksum: { url: "https://example.org/SUMS" }, headers });
    const { steps } = explain(call, { ...base, list, path: absent, listed: absent });
    expect(JSON.stringify(steps)).not.toContain('t\\"k');
    expect(reveal((steps[0] as { stdin: string }).stdin)).toBe('header = "Authorization: Bearer t\\"k"\n');
    const [stage] = download.definition.stages;
    const ask = (checksum: string): object =>
      stage?.({ url, path, checksum: { url: checksum }, headers, insecure: false } as never, {} as never) as object;
    expect(ask("https://example.org/SUMS")).toMatchObject({ list: { request: { headers } } });
    expect(ask("https://elsewhere.org/SUMS")).not.toHaveProperty("list.request.headers");
  });

  test("suggests removing a directory at the path in another playbook, because the two tasks would conflict in this one", () => {
    const { refusal } = explain(byValue, { parent, path: parent, digest: absent, curl: absent, wget: absent });
    expect(refusal?.hint).toBe(
      `Remove it by hand, or with file({ path: "${path}", state: "absent", recursive: true }) in another playbook`,
    );
  });

  const secretHeaders = download({ url, path, checksum: "none", headers: { "X-Key": "k" } });
  test.each([
    { title: "no directory", call: byValue, now: { parent: absent, path: absent, digest: absent }, code: "no-parent" },
    { title: "a directory at the path", call: byValue, now: { path: parent, digest: absent }, code: "in-the-way" },
    {
      title: "a link at the path",
      call: byValue,
      now: { path: { ...there, type: "link" }, digest: absent },
      code: "in-the-way",
    },
    {
      title: "no download program",
      call: byValue,
      now: { path: absent, digest: absent, curl: absent },
      code: "no-program",
    },
    {
      title: "no curl for headers",
      call: secretHeaders,
      now: { path: absent, curl: absent, wget: { path: "x" } },
      code: "no-program",
    },
    {
      title: "no answer for the checksum list",
      call: byList,
      now: { path: there, list: { error: { code: "X", message: "it broke" } } },
      code: "no-checksum",
    },
    {
      title: "a missing checksum list",
      call: byList,
      now: { path: there, list: { ...list, status: 404 } },
      code: "no-checksum",
    },
    {
      title: "a checksum list of other files",
      call: byList,
      now: { path: there, list: { ...list, body: "" } },
      code: "no-checksum",
    },
  ])("refuses if it finds $title", ({ call, now, code }) => {
    expect(explain(call, { ...base, ...now }).refusal?.code).toBe(code);
  });

  test.each([
    { title: "no checksum", input: { url, path }, expected: /"sha256:HEX", "sha512:HEX"/ },
    { title: "a short checksum", input: { url, path, checksum: "sha256:abc" }, expected: /"sha256:HEX"/ },
    {
      title: "another scheme",
      input: { url: "ftp://x/y", path, checksum: "none" },
      expected: /an http or https URL/,
    },
    {
      title: "a password in the URL",
      input: { url: "https://a:b@x/y", path, checksum: "none" },
      expected: /without a password/,
    },
    {
      title: "a space in the URL",
      input: { url: "https://x/a b", path, checksum: "none" },
      expected: /percent-encoded/,
    },
  ])("refuses params with $title", ({ input, expected }) => {
    const failure = expect.objectContaining({ expected: expect.stringMatching(expected) as string }) as object;
    expect(() => parseInput(download.card.params, input, {})).toThrow(expect.objectContaining({ failure }) as Error);
  });
});
