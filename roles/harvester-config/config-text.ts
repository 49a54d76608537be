import { FurrowError } from "../../src/authoring.ts";
import { type HarvesterConfigInput, problemsOfConfig } from "./config-schema.ts";

/**
 * Returns the text of a configuration that the installer accepts. The text is JSON, which every YAML parser accepts, so
 * secrets are quoted correctly regardless of what they contain. Throws FurrowError E_PARAMS with every mistake.
 */
export function renderConfig(config: HarvesterConfigInput): string {
  const problems = problemsOfConfig(config);
  if (problems.length === 0) return `${JSON.stringify(config, undefined, 2)}\n`;
  throw new FurrowError("E_PARAMS", {
    what: `Harvester's installer would refuse the configuration of ${config.os.hostname}`,
    details: problems.map(({ path, expected }) => `${path}: expected ${expected}`),
    hint: "Correct the cluster's vars",
  });
}
