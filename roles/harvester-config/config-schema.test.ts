import { expect, test } from "vitest";
import { parseInput } from "../../src/core/params/params.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { reveal, secretOf } from "../../src/core/secrets/secret.ts";
import { type HarvesterConfigInput, problemsOfConfig } from "./config-schema.ts";
import { renderConfig } from "./config-text.ts";
import { snakeOf } from "./spelling.ts";
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
  {
    // In the installer's snake_case, each capital letter starts a new word, so this key is not read.
    wrong: {
      install: {
        ...validCreate.install,
        harvester: { longhorn: { default_settings: { guaranteed_instance_manager_cpu: 6 } } },
      },
    },
    says: "its name is guaranteed_instance_manager_c_p_u",
  },
  {
    wrong: { os: { ...validCreate.os, externalStorageConfig: { multiPathConfig: { blacklist_wwids: [".*"] } } } },
    says: "Unrecognized key",
  },
  { wrong: { install: { ...validCreate.install, "with-net-images": true } }, says: "its name is with_net_images" },
  { wrong: { install: { ...validCreate.install, configUrl: "http://a/b" } }, says: "no configUrl: the boot script" },
  { wrong: { os: { ...validCreate.os, writeFilespersistentStatePaths: ["/a"] } }, says: "a misprint" },
  { wrong: { schemeVersion: 1 }, says: "one spelling of scheme_version" },
  { wrong: { install: { ...validCreate.install, persistent_partition_size: "150G" } }, says: "a size" },
])("refuses what the installer would silently ignore, or what Harvester could not use: $says", ({ wrong, says }) => {
  expect(JSON.stringify(problemsOfConfig({ ...validCreate, ...wrong }))).toContain(says);
});

test.each([
  ["guaranteedInstanceManagerCPU", "guaranteed_instance_manager_c_p_u"],
  ["hwAddr", "hw_addr"],
  ["powerOff", "power_off"],
  ["skipchecks", "skipchecks"],
  ["OS", "os"],
])("writes %s in snake_case as the installer's mapper does", (key, snake) => {
  expect(snakeOf(key)).toBe(snake);
});

test("accepts the spellings in Harvester's own docs, and keys that the docs show although the installer ignores them", () => {
  const { management_interface: network, ...install } = validCreate.install;
  const { scheme_version: schemeVersion, system_settings: systemSettings, os, ...rest } = validCreate;
  const { ssh_authorized_keys: sshAuthorizedKeys, ...others } = os;
  const camel = {
    ...rest,
    schemeVersion,
    server_url: "",
    systemSettings,
    os: { ...others, sshAuthorizedKeys },
    install: { ...install, poweroff: true, managementInterface: { ...network, default_route: true } },
  };
  expect(problemsOfConfig(camel)).toEqual([]);
});

test("reports every mistake at once, and names the node", () => {
  const wrong = { ...validCreate, token: "", install: { ...validCreate.install, vip: "here" } };
  expect(() => renderConfig(wrong as unknown as HarvesterConfigInput)).toThrow(
    /refuse the configuration of harvester-1/,
  );
  expect(problemsOfConfig(wrong).map(({ path }) => path)).toEqual(["token", "token", "install.vip"]);
});

test("accepts secrets in a cluster's `config`, in any spelling of its keys", () => {
  const content = secretOf("c0ntent of a file", "file");
  const config = { os: { writeFiles: [{ path: "/etc/key", content: String(content) }] } };
  const vars = { disks: ["/dev/a"], token: "t", password: "p", config };
  expect(parseInput(clusterSchema, vars, {})).toMatchObject({
    config: { os: { write_files: [{ content: String(content) }] } },
  });
});

test("accepts a secret token, which stays secret", () => {
  const text = renderConfig({ ...structuredClone(validCreate), token: secretOf('a"b', "token") } as never);
  expect(text).not.toContain('a"b');
  expect(JSON.parse(reveal(text))).toMatchObject({ token: 'a"b' });
});
