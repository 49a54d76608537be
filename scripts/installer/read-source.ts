/**
 * Reads the Go source of Harvester's installer, and writes what the installer accepts to
 * roles/harvester-config/installer-source.json: every key of a configuration, the settings, and each place where a
 * configuration is refused. The tests compare the roles with that file.
 *
 *   node scripts/installer/read-source.ts PATH-TO-CHECKOUT [FILE=COMMIT …]
 *
 * PATH-TO-CHECKOUT is a checkout of harvester/harvester, or of the older harvester/harvester-installer. If it is not a
 * git repository, give the commit that each file comes from.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { goRefusals } from "./go-refusals.ts";
import { goTypes } from "./go-structs.ts";
import { keysOf } from "./keys.ts";

const [checkout = "", ...given] = process.argv.slice(2);
const folder = ["pkg/installer", "pkg"].find((one) => existsSync(join(checkout, one, "config/config.go")));
if (checkout === "" || folder === undefined) {
  process.stderr.write(`Usage: node scripts/installer/read-source.ts PATH-TO-CHECKOUT [FILE=COMMIT …]\n`);
  process.exit(2);
}
const commits = new Map(given.map((one) => one.split("=") as [string, string]));
const names = ["config/config.go", "console/validator.go"] as const;
const [config = "", validator = ""] = names.map((name) => readFileSync(join(checkout, folder, name), "utf8"));
const types = goTypes(config);
const settings = /func GetSystemSettingsAllowList\(\).*?\n\}/s.exec(config)?.[0] ?? "";
const refusals = [
  { file: names[0], list: goRefusals(config, new Set(["GetKubeletArgs", "FindNetworkInterfaceName"])) },
  { file: names[1], list: goRefusals(validator) },
];

writeFileSync(
  join(import.meta.dirname, "../../roles/harvester-config/installer-source.json"),
  `${JSON.stringify(
    {
      project: folder === "pkg" ? "harvester/harvester-installer" : "harvester/harvester",
      licence: "Apache-2.0",
      files: names.map((name) => ({
        path: `${folder}/${name}`,
        commit: commits.get(name) ?? headOf(checkout),
        sha256: createHash("sha256")
          .update(name === names[0] ? config : validator)
          .digest("hex"),
      })),
      keys: keysOf(types, "HarvesterConfig"),
      settings: [...settings.matchAll(/"([\w-]+)"/g)].map(([, name]) => name),
      refusals: refusals.flatMap(({ file, list }) => list.map((one) => ({ file, ...one }))),
    },
    undefined,
    2,
  )}\n`,
);

function headOf(path: string): string {
  return execFileSync("git", ["-C", path, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
}
