import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { authorizedKey } from "./authorized-key.ts";

const blob = "AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux";
const key = `ssh-ed25519 ${blob} ana@laptop`;
const ana = {
  uid: 1000,
  group: "staff",
  groups: [],
  member: { staff: true },
  home: "/home/ana",
  shell: "/bin/sh",
  comment: "",
};
const directory = { type: "directory", mode: "0700", owner: "ana", group: "staff" };
const keys = { type: "file", mode: "0600", owner: "ana", group: "staff", text: `${key}\n` };
const tell = (params: object, now: object = {}): Explanation =>
  explain(authorizedKey({ user: "ana", key, ...params }), {
    user: ana,
    home: directory,
    folder: directory,
    keys,
    ...now,
  });

describe("authorizedKey", () => {
  test("does not change an existing key", () => {
    expect(tell({}).steps).toEqual([]);
  });
  test("creates the directory and the file with the right owner", () => {
    expect(tell({}, { folder: absent, keys: absent }).steps).toEqual([
      { step: "makeDirectory", path: "/home/ana/.ssh", parents: false, mode: "0700", owner: "ana", group: "staff" },
      {
        step: "writeFile",
        path: "/home/ana/.ssh/authorized_keys",
        text: `${key}\n`,
        replaces: null,
        mode: "0600",
        owner: "ana",
        group: "staff",
      },
    ]);
  });
  test("fixes a mode that sshd would not trust", () => {
    expect(tell({}, { keys: { ...keys, mode: "0666" } }).change).toEqual({
      "file:/home/ana/.ssh/authorized_keys": ["mode"],
    });
    expect(tell({}, { folder: { ...directory, mode: "0777" } }).described).toEqual([
      "set 0700 ana staff on /home/ana/.ssh",
    ]);
  });
  test("removes a key without creating anything", () => {
    expect(tell({ state: "absent" }).steps).toEqual([
      { step: "writeFile", path: "/home/ana/.ssh/authorized_keys", text: "", replaces: keys.text },
    ]);
    expect(tell({ state: "absent" }, { folder: absent, keys: absent }).steps).toEqual([]);
    expect(tell({ state: "absent" }, { user: absent }).steps).toEqual([]);
  });
  test("removes a truncated key, but refuses to add one", () => {
    const cut = "ssh-ed25519 AAAA ana@laptop";
    const now = { keys: { ...keys, text: `${key}\n${cut}\n` } };
    expect(tell({ key: cut, state: "absent" }, now).steps).toMatchObject([{ text: `${key}\n` }]);
    expect(() => tell({ key: cut })).toThrow('wrong value for param "key"');
  });
  test.each([
    { code: "no-user", now: { user: absent } },
    { code: "no-home", now: { home: absent } },
    { code: "keys-are-a-link", now: { keys: { ...keys, type: "link" } } },
    { code: "keys-are-a-link", now: { folder: { ...directory, type: "link" } } },
  ])("refuses with $code", ({ code, now }) => {
    expect(tell({}, now).refusal?.code).toBe(code);
  });
  test.each([
    { param: "key", params: { key: "AAAA" } },
    { param: "key", params: { key: "ssh-ed25519 AAAA", exclusive: true } },
    { param: "key", params: { key: `ssh-ed25519 ${blob.slice(0, 40)}`, exclusive: true } },
    { param: "key", params: { key: "ssh-rsa notakey" } },
    { param: "key", params: { key: `ssh-rsa ${blob}` } },
    { param: "key.1", params: { key: [key, `ssh-foo ${blob}`] } },
    { param: "key", params: { key: `no-pty ${key}` } },
    { param: "key", params: { key: "-----BEGIN OPENSSH PRIVATE KEY-----\nx" } },
    { param: "options", params: { options: "a\nb" } },
    { param: "exclusive", params: { exclusive: true, state: "absent" } },
  ])("refuses the param $param: $params", ({ param, params }) => {
    expect(() => tell(params)).toThrow(`param "${param}"`);
  });
});
