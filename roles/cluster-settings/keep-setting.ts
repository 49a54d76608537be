import { isSecret, secretText, type TaskCall } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { clusterCalm } from "./cluster-calm.ts";
import { settingChanges, settingObject } from "./setting-changes.ts";
import { settingTaken } from "./setting-taken.ts";

/** A setting of Harvester that a role manages. */
export interface KeptSetting {
  readonly kubeconfig: string;
  readonly fieldManager: string;
  readonly name: string;
  /** The setting's value as text. Neither this value nor the one that it replaces is ever shown. */
  readonly value: string;
  /** What to check next, shown at the end. */
  readonly next: readonly string[];
  readonly deadlineSeconds: number;
  /** The guard that must have passed before the setting is changed. */
  readonly guard: TaskCall;
}

/**
 * The tasks that set a setting whose value is secret, and wait until Harvester has processed it. A change is refused
 * while a node is unavailable or an upgrade is running, because parts of the cluster restart then.
 */
export function keepSetting({ kubeconfig, fieldManager, name, value, next, deadlineSeconds, guard }: KeptSetting) {
  const secretValue = isSecret(value) ? value : secretText().parse(value);
  const object = settingObject(name, secretValue);
  const found = settingChanges({ kubeconfig, fieldManager, name, value: secretValue }, onlyAfter(guard));
  const calm = clusterCalm({ kubeconfig, setting: name, changes: found.output.map(({ changes }) => changes) });
  return [
    found,
    calm,
    // The field is owned by the web UI, or by another program that set it earlier.
    t.kubeObject({ kubeconfig, fieldManager, force: true, object }, onlyAfter(calm)),
    settingTaken({ kubeconfig, name, value: secretValue, next: [...next], deadlineSeconds }),
  ];
}
