import { type Command, one, Refused } from "./stand-in-words.ts";

/** The subscription of the login, which is the fake's. */
const subscription = "00000000-0000-4000-8000-000000000001";

/** The commands of the Azure CLI that the pages use: https://learn.microsoft.com/cli/azure/reference-index */
export const az: Readonly<Record<string, Command>> = {
  "feature register": {
    flags: { "--namespace": /^Microsoft\.Compute$/, "--name": /^UseStandardSecurityType$/ },
    required: ["--namespace", "--name"],
    names: 0,
    act: (_given, created) => void (created["feature"] = true),
  },
  "provider register": {
    flags: { "--namespace": /^Microsoft\.(Compute|Network)$/, "--wait": "yes" },
    required: ["--namespace"],
    names: 0,
    act: (given, created) => {
      const service = one(given, "--namespace");
      created[`provider ${service}`] = true;
      // A feature is usable only after its service has been registered again.
      if (service === "Microsoft.Compute") created["propagated"] = created["feature"];
      return undefined;
    },
  },
  "account show": {
    flags: { "--query": /^(id|name|tenantId)$/, "--output": /^(json|jsonc|table|tsv|yaml|yamlc|none)$/ },
    required: [],
    names: 0,
    act: (given) => {
      if (one(given, "--query") !== "id" || one(given, "--output") !== "tsv") throw new Refused("not just the id");
      return subscription;
    },
  },
};
