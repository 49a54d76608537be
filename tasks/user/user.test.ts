import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { isFurrowError } from "../../src/core/errors.ts";
import { redact } from "../../src/core/secrets/redact.ts";
import { reveal, secretOf, seal } from "../../src/core/secrets/secret.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { user } from "./user.ts";

const there = {
  uid: 1000,
  group: "ana",
  groups: ["docker", "wheel"],
  member: { docker: true, wheel: true },
  home: "/home/ana",
  shell: "/bin/sh",
  comment: "Ana",
};
const noLogins = { logins: absent, moreLogins: absent };
const group = { gid: 1, primaryOf: [] };
const failureOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return isFurrowError(error) ? error.failure : error;
  }
  return undefined;
};
const tell = (params: object, now: unknown, groups: readonly unknown[] = [group, group, group]): Explanation => {
  const call = user({ name: "ana", ...params });
  const asked = ((params as { groups?: string[] }).groups ?? []).length + ("group" in params ? 1 : 0);
  return explain(call, {
    user: now,
    groups: groups.slice(0, asked),
    home: absent,
    aboveHome: [{ type: "directory", mode: "0755", owner: "root", group: "root" }],
    ownGroup: absent,
    ...noLogins,
    holder: absent,
    goes: absent,
    own: absent,
    mail: absent,
    use: { processes: [], guests: [] },
  });
};

describe("user", () => {
  test.each([
    {
      what: "with all params",
      params: { uid: 1000, group: "ana", groups: ["docker"], shell: "/bin/sh", home: "/home/ana", comment: "Ana" },
    },
    { what: "with no params", params: {} },
    { what: "with its groups in another order", params: { groups: ["wheel", "docker"], exactGroups: true } },
  ])("does not change a correct user $what", ({ params }) => {
    expect(tell(params, there).steps).toEqual([]);
  });

  test.each([{ name: "1234" }, { name: "u".repeat(33) }, { name: "1234", state: "absent" }])(
    "refuses the name in %j, which no host accepts for a user",
    (params) => {
      expect(() => tell(params, absent)).toThrow(/param "name"/);
      expect(tell({ name: "u".repeat(32) }, absent).refusal).toBeUndefined();
    },
  );

  test("creates a user with its home", () => {
    const { described, change } = tell({ uid: 5, groups: ["docker"], shell: "/bin/bash" }, absent);
    expect(described).toEqual(["useradd -m -u 5 -s /bin/bash -d /home/ana -G docker -- ana"]);
    expect(Object.keys(change)).toEqual(["user:ana", "file:/home/ana"]);
  });
  test("does not touch the home of an earlier user with that name, regardless of who owns it now", () => {
    const home = { type: "directory", mode: "0700", owner: "1003", group: "1003" };
    const { described, change } = explain(user({ name: "ana" }), {
      user: absent,
      groups: [],
      home,
      aboveHome: [home],
      ownGroup: absent,
      ...noLogins,
    });
    expect(described).toEqual(["useradd -m -d /home/ana -- ana"]);
    expect(Object.keys(change)).toEqual(["user:ana"]);
  });
  test.each([
    { text: "USERGROUPS_ENAB yes\n", moreLogins: absent, ids: ["user:ana", "group:ana"] },
    { text: "USERGROUPS_ENAB yes\n USERGROUPS_ENAB no\n", moreLogins: absent, ids: ["user:ana"] },
    { text: "# USERGROUPS_ENAB yes\n", moreLogins: absent, ids: ["user:ana"] },
    { text: "USERGROUPS_ENAB yes\n", moreLogins: { type: "directory" }, ids: ["user:ana"] },
  ])("expects a group with the user's name if login.defs is $text", ({ text, moreLogins, ids }) => {
    const now = { user: absent, groups: [], ownGroup: absent, logins: { type: "file", text }, moreLogins };
    const { described, change } = explain(user({ name: "ana", createHome: false }), now);
    expect(described).toEqual(["useradd -M -d /home/ana -- ana"]);
    expect(Object.keys(change)).toEqual(ids);
  });
  test("creates a system user without a home", () => {
    expect(tell({ system: true, createHome: false, home: "/var/lib/ana" }, absent).described).toEqual([
      "useradd -r -M -d /var/lib/ana -- ana",
    ]);
  });

  test.each([
    { params: { uid: 1001 }, step: "usermod -u 1001 -- ana" },
    { params: { group: "users" }, step: "usermod -g users -- ana" },
    { params: { shell: "/bin/bash" }, step: "usermod -s /bin/bash -- ana" },
    { params: { home: "/srv/ana" }, step: "usermod -d /srv/ana -- ana" },
    { params: { comment: "" }, step: "usermod -c '' -- ana" },
    { params: { groups: ["lxd"] }, step: "usermod -a -G lxd -- ana" },
    { params: { groups: ["wheel"], exactGroups: true }, step: "usermod -G wheel -- ana" },
    { params: { groups: [], exactGroups: true }, step: "usermod -G '' -- ana" },
  ])("fixes $params", ({ params, step }) => {
    expect(tell(params, there).described).toEqual([step]);
  });

  test("sets a password through stdin, and compares it by its keyed hash", () => {
    const hash = "$6$salt$hash";
    const params = { passwordHash: secretOf(hash, "ana") };
    const { steps, described, change } = tell(params, { ...there, passwordSeal: "sealed:00" });
    expect(change).toEqual({ "user:ana": ["passwordSeal"] });
    expect(described).toEqual(["set the password of ana"]);
    expect(JSON.stringify(steps)).not.toContain(hash);
    expect(tell(params, { ...there, passwordSeal: seal(Buffer.from(hash)) }).steps).toEqual([]);
  });

  test.each(["Sommer2026", "", "x", "$6$a$b\nroot:$6$c$d", "$6$a:b"])(
    "refuses the password %j, which is not a crypt(5) hash, and does not show it",
    (password) => {
      for (const passwordHash of [password, secretOf(password, "ana")]) {
        const shown = JSON.stringify(failureOf(() => tell({ passwordHash }, absent)));
        expect(shown).toContain("passwordHash");
        expect(shown).toContain("crypt(5)");
        expect(password.length > 1 && shown.includes(JSON.stringify(password).slice(1, -1))).toBe(false);
      }
    },
  );
  test.each(["$6$salt$hash", "$y$j9T$salt$hash", "!", "*", "!$6$salt$hash"])(
    "accepts the password field %s",
    (hash) => {
      for (const passwordHash of [hash, secretOf(hash, "ana"), `${secretOf(hash, "ana")}`]) {
        expect(tell({ passwordHash }, { ...there, passwordSeal: seal(Buffer.from(hash)) }).steps).toEqual([]);
      }
    },
  );

  test("keeps a hash out of every step, want and change even if it is not marked as secret", () => {
    const hash = "$6$plainsalt$plainhash";
    const call = user({ name: "ana", passwordHash: hash });
    const { steps } = explain(call, {
      user: absent,
      groups: [],
      home: absent,
      aboveHome: [absent],
      ownGroup: absent,
      ...noLogins,
    });
    expect(JSON.stringify(steps)).not.toContain(hash);
    expect(steps.map((step) => ("stdin" in step ? reveal(step.stdin ?? "") : ""))).toContain(`ana:${hash}\n`);
    expect(redact(`shadow has ${hash}`)).not.toContain("plainhash");
  });

  test("removes a user, with its home only if told to", () => {
    expect(tell({ state: "absent" }, there).described).toEqual(["userdel -- ana"]);
    expect(tell({ state: "absent", removeHome: true }, there).described).toEqual(["userdel -r -- ana"]);
    expect(tell({ state: "absent", removeHome: true }, absent).steps).toEqual([]);
  });

  test("refuses a missing group", () => {
    expect(tell({ groups: ["docker", "gone"] }, absent, [group, absent]).refusal?.message).toContain("gone");
  });
  test.each(["/", "/root", "/usr/games", "/etc/x"])(
    "refuses to remove the home directory %s together with its user",
    (home) => {
      expect(tell({ state: "absent", removeHome: true }, { ...there, home }).refusal?.code).toBe("home-is-shared");
    },
  );
  test.each([
    { param: "name", params: { name: "a:b" } },
    { param: "name", params: { name: "root", state: "absent" } },
    { param: "uid", params: { uid: 1.5 } },
    { param: "shell", params: { shell: "bash" } },
    { param: "comment", params: { comment: "a:b" } },
  ])("refuses the param $param: $params", ({ param, params }) => {
    expect(() => tell(params, absent)).toThrow(`param "${param}"`);
  });
});
