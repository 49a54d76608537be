import { describe, expect, it } from "vitest";
import { isFurrowError } from "../../core/errors.ts";
import { matchPattern, scopeOf } from "./host-pattern.ts";

const inventory = {
  hosts: { web1: {}, web2: {}, web3: {}, db1: {}, "db-old": {}, lone: {} },
  groups: {
    web: { hosts: ["web1", "web2", "web3"] },
    db: { hosts: ["db1", "db-old"] },
    east: { hosts: ["web1", "db1"] },
    site: { groups: ["web", "db"] },
  },
};
const scope = scopeOf(inventory, { failed: ["web2", "gone"], unfinished: ["web2", "gone", "db1"] });

describe("matchPattern", () => {
  it.each(["", " ", ",", ":"])("refuses %j, which names nothing; Ansible reads it as all hosts", (pattern) => {
    expect(codeOf(() => matchPattern(pattern, scope))).toBe(codeOf(() => matchPattern("nowhere", scope)));
  });

  it.each([
    ["all", ["web1", "web2", "web3", "db1", "db-old", "lone"]],
    ["*", ["web1", "web2", "web3", "db1", "db-old", "lone"]],
    ["lone", ["lone"]],
    ["web", ["web1", "web2", "web3"]],
    ["site", ["web1", "web2", "web3", "db1", "db-old"]],
    ["db*", ["db1", "db-old"]],
    ["?eb1", ["web1"]],
    ["web[13]", []],
    ["w*:&east", ["web1"]],
    ["web:db", ["web1", "web2", "web3", "db1", "db-old"]],
    ["db1,web2", ["web2", "db1"]],
    ["web:!web3", ["web1", "web2"]],
    ["!web3:web", ["web1", "web2"]],
    ["all:!web:!db", ["lone"]],
    ["web:&east", ["web1"]],
    ["web:db:&east:!web1", ["db1"]],
    ["!web", ["db1", "db-old", "lone"]],
    ["web[0]", ["web1"]],
    ["web[1:2]", ["web2", "web3"]],
    ["web[1:]", ["web2", "web3"]],
    ["web[1:9]", ["web2", "web3"]],
    ["web[0:1],db", ["web1", "web2", "db1", "db-old"]],
    ["@failed", ["web2"]],
    ["@unfinished", ["web2", "db1"]],
    ["@unfinished:!@failed", ["db1"]],
    ["web:!@failed", ["web1", "web3"]],
  ])("matches the pattern %s", (pattern, expected) => {
    const found = expected.length === 0 ? codeOf(() => matchPattern(pattern, scope)) : matchPattern(pattern, scope);
    expect(found).toEqual(expected.length === 0 ? "E_PATTERN" : expected);
  });

  it("does not split a host name that has colons", () => {
    const six = scopeOf({ hosts: { "2001:db8::1": {}, "::1": {}, web1: {} } }, undefined);
    expect(matchPattern("2001:db8::1", six)).toEqual(["2001:db8::1"]);
    expect(matchPattern("web1,::1", six)).toEqual(["::1", "web1"]);
    expect(matchPattern("all,!::1", six)).toEqual(["2001:db8::1", "web1"]);
  });

  it("suggests the closest host or group for an unknown name", () => {
    const error = thrownBy(() => matchPattern("wep:!web3", scope));
    expect(error.failure.what).toContain('"wep"');
    expect(error.failure.hint).toBe('Write "web" instead of "wep"');
  });

  it.each([
    ["web01", "web001"],
    ["WEB001", "web001"],
    ["All", "all"],
    ["@fialed", "@failed"],
  ])("suggests what was meant by %s", (name, meant) => {
    const fleet = scopeOf({ hosts: { web001: {}, web002: {}, db1: {} } }, undefined);
    expect(thrownBy(() => matchPattern(name, fleet)).failure.hint).toBe(`Write "${meant}" instead of "${name}"`);
  });

  it("does not suggest a name that differs only in its number, because that would be another machine", () => {
    const fleet = scopeOf({ hosts: { web001: {}, web021: {}, db1: {} } }, undefined);
    expect(thrownBy(() => matchPattern("web121", fleet)).failure.hint).toBe(
      "Run furrow inventory to see hosts and groups",
    );
    expect(thrownBy(() => matchPattern("wep021", fleet)).failure.hint).toBe('Write "web021" instead of "wep021"');
  });

  it("refuses a pattern that matches nothing", () => {
    expect(thrownBy(() => matchPattern("web:&lone", scope)).failure.what).toBe(
      'the host pattern "web:&lone" matches no host',
    );
  });

  it("says that no host failed in the last run if @failed matches nothing", () => {
    const clean = scopeOf(inventory, { failed: [], unfinished: [] });
    for (const pattern of ["@failed", "web:&@failed"]) {
      const { failure } = thrownBy(() => matchPattern(pattern, clean));
      expect(failure.what).toBe(`no host failed in the last run, so the host pattern "${pattern}" matches no host`);
      expect(failure.hint).toBe("Specify hosts or groups, or omit --limit: there is nothing to rerun");
    }
    expect(matchPattern("web:!@failed", clean)).toEqual(["web1", "web2", "web3"]);
    expect(matchPattern("db1:@failed", clean)).toEqual(["db1"]);
  });

  it("suggests @unfinished if the last run left hosts unfinished and none failed", () => {
    const halted = scopeOf(inventory, { failed: [], unfinished: ["web1"] });
    expect(thrownBy(() => matchPattern("@failed", halted)).failure.hint).toMatch(/^Write @unfinished/);
  });

  it("says that no run is recorded before the first run", () => {
    const fresh = scopeOf(inventory, undefined);
    for (const pattern of ["@failed", "@unfinished"]) {
      expect(thrownBy(() => matchPattern(pattern, fresh)).failure.what).toContain("no run is recorded");
    }
  });
});

function thrownBy(act: () => unknown): Error & { code: string; failure: { what: string; hint?: string } } {
  try {
    act();
  } catch (error) {
    if (isFurrowError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function codeOf(act: () => unknown): string {
  return thrownBy(act).code;
}
