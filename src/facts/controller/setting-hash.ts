import { createHash } from "node:crypto";
import { reveal } from "../../core/secrets/secret.ts";

/**
 * The hash that Harvester stores for the value of a setting that it has applied (pkg/controller/master/setting/handler.go).
 *
 * @param value the value, which may be secret
 * @param upgradePatched the setting's annotation `harvesterhci.io/upgrade-patched`, which Harvester appends
 */
export function settingHash(value: string, upgradePatched: string): string {
  return createHash("sha224")
    .update(reveal(value) + upgradePatched)
    .digest("hex");
}
