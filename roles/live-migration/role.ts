import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { policiesSettled } from "./policies-settled.ts";
import { migrationSettings, migrationSettingsReady } from "./settings.ts";
import { given, liveMigrationSchema, policyObjects } from "./vars.ts";

/**
 * Configures live migration. Changes are refused while a machine is migrating. Policies that are not listed are left
 * unchanged.
 */
export const liveMigration = role(
  {
    name: "live migration",
    summary: "Manage the live migration settings and policies of a Harvester cluster",
    params: liveMigrationSchema,
  },
  ({ kubeconfig, fieldManager, force, settings, policies, deadlineSeconds }) => {
    const fields = given(settings);
    const objects = policyObjects({ policies });
    const requested = objects.map(({ metadata, spec }) => ({ name: metadata.name, spec }));
    const settled = objects.length > 0 && policiesSettled({ kubeconfig, policies: requested });
    return [
      settled,
      Object.keys(fields).length > 0 && [
        migrationSettings({ kubeconfig, settings: fields }, onlyAfter(settled)),
        migrationSettingsReady({ kubeconfig, settings: fields, deadlineSeconds }),
      ],
      objects.map((object) => t.kubeObject({ kubeconfig, fieldManager, force, object }, onlyAfter(settled))),
    ];
  },
);
