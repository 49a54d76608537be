import { isSecret, secretText } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { settingTaken } from "./setting-taken.ts";

/** A setting of Harvester, as a role keeps it. */
export interface KeptSetting {
  readonly kubeconfig: string;
  readonly fieldManager: string;
  readonly name: string;
  /** Its value as text. It is never shown, and neither is the value that it replaces. */
  readonly value: string;
  /** What to look at next. */
  readonly next: readonly string[];
  readonly deadlineSeconds: number;
}

/** The tasks that keep a setting whose value is secret, and wait until Harvester has dealt with it. */
export function keepSetting({ kubeconfig, fieldManager, name, value, next, deadlineSeconds }: KeptSetting) {
  const object = {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "Setting",
    metadata: { name },
    value: isSecret(value) ? value : secretText().parse(value),
  };
  return [
    // The web UI, or another program that has set it before, owns the field.
    t.kubeObject({ kubeconfig, fieldManager, force: true, object }),
    settingTaken({ kubeconfig, name, next: [...next], deadlineSeconds }),
  ];
}
