import { describe, expect, test } from "vitest";
import { absent, playbook } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { simulate } from "../../src/testing/simulate.ts";
import { file } from "../file/file.ts";
import { authorizedKey } from "./authorized-key.ts";
import { defaultKeyFiles } from "./key-files.ts";

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
    sshd: defaultKeyFiles,
    others: [absent],
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
  const other = key.replace("I1NTE5", "I1NTE6");
  test.each([
    ["a removed key in authorized_keys2", { state: "absent" }, key, "key-in-other-file"],
    [
      "another key in authorized_keys2 although the keys are exclusive",
      { exclusive: true },
      other,
      "key-in-other-file",
    ],
    ["the exclusive key itself in authorized_keys2", { exclusive: true }, key, undefined],
    ["another key in authorized_keys2 if one key is removed", { state: "absent" }, other, undefined],
    ["another key in authorized_keys2 if a key is added", {}, other, undefined],
  ])("refuses only a key that must not work any more: %s", (_title, params, text, code) => {
    const { refusal } = tell(params, { others: [{ ...keys, text: `# old\n${text}\n` }] });
    expect(refusal?.code).toBe(code);
    expect(refusal?.message.startsWith("/home/ana/.ssh/authorized_keys2")).toBe(code && true);
  });
  test("refuses a removed key in a file for all users, even if the user has no home directory", () => {
    const sshd = { files: ["/etc/ssh/keys/%u", "%h/.ssh/authorized_keys"], from: "sshd" };
    const { refusal } = tell({ state: "absent" }, { sshd, home: absent, others: [keys] });
    expect(refusal?.message).toContain("/etc/ssh/keys/ana");
  });
  test("does not add a key that sshd would not find", () => {
    const { refusal } = tell({}, { sshd: { files: ["/etc/ssh/keys/%u"], from: "sshd" } });
    expect(refusal).toMatchObject({ code: "keys-not-read", current: "AuthorizedKeysFile /etc/ssh/keys/%u" });
    expect(tell({}, { sshd: { files: ["%h/.ssh/authorized_keys"], from: "sshd" } }).refusal).toBeUndefined();
  });
  test("accepts a link to the file itself", () => {
    const others = [{ ...keys, type: "link", target: "authorized_keys" }];
    expect(tell({ state: "absent" }, { others }).refusal).toBeUndefined();
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

test("check mode does not know whether a key will work if an earlier task changes sshd's configuration", async () => {
  const conf = file({ path: "/etc/ssh/sshd_config.d/keys.conf", content: "AuthorizedKeysFile /etc/ssh/keys/%u\n" });
  const added = authorizedKey({ user: "root", key });
  const book = playbook({ name: "keys", plays: [{ hosts: "all", tasks: () => [added, conf, added] }] });
  const folder = { type: "directory" };
  const state = { web: { "file:/root": folder, "file:/etc/ssh": folder, "file:/etc/ssh/sshd_config.d": folder } };
  const { tasks } = await simulate(book, { hosts: ["web"], state, mode: "check" });
  expect(tasks.map(({ outcome }) => outcome)).toEqual(["changed", "changed", "undecided"]);
});
