import type { LonghornSettingObject } from "../cluster-answers/longhorn/objects.ts";
import { type Finding, inLonghorn, type Severity } from "./findings.ts";

interface Risk {
  readonly setting: string;
  readonly severity: Severity;
  readonly isRisky: (value: string) => boolean;
  readonly why: string;
}

const is = (risky: string) => (value: string) => value === risky;

/** Values that reduce safety, and why (the descriptions in types/setting.go of longhorn/longhorn-manager). */
const risks: readonly Risk[] = [
  {
    setting: "concurrent-replica-rebuild-per-node-limit",
    severity: "critical",
    isRisky: is("0"),
    why: "no replica is rebuilt",
  },
  {
    setting: "node-drain-policy",
    severity: "warning",
    isRisky: is("always-allow"),
    why: "a drain may stop the last healthy replica of a volume",
  },
  {
    setting: "replica-soft-anti-affinity",
    severity: "warning",
    isRisky: is("true"),
    why: "replicas of one volume may share a node",
  },
  {
    setting: "storage-minimal-available-percentage",
    severity: "warning",
    isRisky: (value) => Number(value) < 10,
    why: "a disk may be filled almost completely",
  },
  {
    setting: "storage-over-provisioning-percentage",
    severity: "hint",
    isRisky: (value) => Number(value) > 200,
    why: "more disk space is promised to volumes than usual",
  },
  {
    setting: "deleting-confirmation-flag",
    severity: "warning",
    isRisky: is("true"),
    why: "nothing prevents an uninstall of Longhorn, which deletes all volumes",
  },
  {
    setting: "auto-salvage",
    severity: "hint",
    isRisky: is("false"),
    why: "a volume whose replicas have all failed stays down until someone salvages it",
  },
];

/** Longhorn settings with a value that reduces safety, and settings that this version of Longhorn does not have. */
export function settingFindings(settings: readonly LonghornSettingObject[]): Finding[] {
  const next = "Longhorn UI: Settings, General";
  const values = new Map(settings.map(({ name, value }) => [name, value]));
  const missing = risks.filter(({ setting }) => !values.has(setting)).map(({ setting }) => setting);
  return [
    ...risks.flatMap(({ setting, severity, isRisky, why }): Finding[] => {
      const value = values.get(setting);
      return value === undefined || !isRisky(value) ? [] : [{ severity, what: `${setting} is ${value}: ${why}`, next }];
    }),
    ...(missing.length > 0
      ? [
          {
            severity: "hint" as const,
            what: `not checked, because this version of Longhorn does not have the settings: ${missing.join(", ")}`,
            next: inLonghorn("get settings.longhorn.io"),
          },
        ]
      : []),
  ];
}
