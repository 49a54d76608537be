import { expect, test } from "vitest";
import { reveal, secretOf } from "../../src/core/secrets/secret.ts";
import { type HarvesterConfigInput, problemsOfConfig, renderConfig } from "./config.ts";
import { installerRules, refusedConfig, validCreate, validJoin } from "./installer-rules.ts";

test("accepts what the installer accepts", () => {
  expect(problemsOfConfig(validCreate)).toEqual([]);
  expect(problemsOfConfig(validJoin)).toEqual([]);
});

test.each(installerRules.map((rule) => [rule.name, rule] as const))(
  "refuses, as the installer does: %s",
  (_name, rule) => {
    const problems = problemsOfConfig(refusedConfig(rule));
    expect(problems).not.toEqual([]);
    const spoilt = Object.keys(rule.change).map((path) => path.split(".")[0]);
    for (const { path } of problems.filter(({ path: at }) => at !== "")) expect(spoilt).toContain(path.split(".")[0]);
  },
);

test.each([
  { wrong: { instal: {} }, says: "Unrecognized key" },
  { wrong: { install: { ...validCreate.install, default_route: true } }, says: "Unrecognized key" },
  {
    wrong: { install: { ...validCreate.install, harvester: { storage_class: { replica_count: 4 } } } },
    says: "1 to 3",
  },
])("refuses what the installer would silently ignore, or Harvester could not use: $says", ({ wrong, says }) => {
  expect(JSON.stringify(problemsOfConfig({ ...validCreate, ...wrong }))).toContain(says);
});

test("reports every mistake at once, and names the node", () => {
  const wrong = { ...validCreate, token: "", install: { ...validCreate.install, vip: "here" } };
  expect(() => renderConfig(wrong as unknown as HarvesterConfigInput)).toThrow(
    /refuse the configuration of harvester-1/,
  );
  expect(problemsOfConfig(wrong).map(({ path }) => path)).toEqual(["token", "token", "install.vip"]);
});

test("accepts a secret token, which stays secret", () => {
  const text = renderConfig({ ...structuredClone(validCreate), token: secretOf('a"b', "token") } as never);
  expect(text).not.toContain('a"b');
  expect(JSON.parse(reveal(text))).toMatchObject({ token: 'a"b' });
});
