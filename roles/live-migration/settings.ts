import {
  type KubernetesAnswer,
  kubernetesCall,
  match,
  Refusal,
  refuse,
  seconds,
  task,
  z,
} from "../../src/authoring.ts";
import { type Answers, askCluster, decideOn, type Seen } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject, lookAtObject, settingPath, versionOf } from "../cluster-answers/one-object.ts";
import { askOthers, askTrial, trialNotes, trialProblem } from "../cluster-answers/setting-trial.ts";
import { quantity } from "../cluster-answers/quantity.ts";

/** The name of Harvester's setting, which exists from v1.7 on (pkg/settings/settings.go). */
export const migrationSetting = "kubevirt-migration";
/** Where KubeVirt stores its configuration, to which Harvester writes the setting (pkg/util/constants.go). */
export const kubeVirtPath = "/apis/kubevirt.io/v1/namespaces/harvester-system/kubevirts/kubevirt";

const setting = { kind: "Setting", name: migrationSetting };
const kubeVirt = { kind: "KubeVirt", name: "kubevirt" };

const wanted = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .describe("Fields that the setting must have");

type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields of KubeVirt's configuration that are managed elsewhere: by upgrades, and by the `vm-migration-network`
 * setting.
 */
const others = ["nodeDrainTaintKey", "network"];

const kubeVirtSchema = z.looseObject({
  spec: z.looseObject({
    configuration: z
      .looseObject({ migrations: z.record(z.string(), z.unknown()).default({}) })
      .default({ migrations: {} }),
  }),
});

function migrationsIn(object: unknown): Fields {
  const { migrations = {} } = kubeVirtSchema.safeParse(object).data?.spec.configuration ?? {};
  return Object.fromEntries(Object.entries(migrations).filter(([name]) => !others.includes(name)));
}

/** The fields in the setting's text; undefined if it is not a JSON object. */
function fieldsIn(text: unknown): Fields | undefined {
  if (text === undefined || text === "") return {};
  if (typeof text !== "string") return undefined;
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** KubeVirt stores these fields in another unit if that is shorter: 1Gi for 1024Mi. */
const quantities = ["bandwidthPerMigration"];

/** The wanted fields whose current value is different. */
function differing(live: Fields, settings: z.output<typeof wanted>) {
  return Object.entries(settings).filter(([name, value]) => {
    const size = quantities.includes(name) ? quantity.safeParse(value).data : undefined;
    if (size === undefined) return match(live[name], value) !== "same";
    return quantity.safeParse(live[name]).data !== size;
  });
}

/** Refuses while a machine is migrating: a running migration started with the old settings. */
export function whileMigrating({ migrations }: Pick<Seen<"migrations">, "migrations">): Refusal | undefined {
  const running = migrations.filter((one) => one.running).map(({ machine, name }) => `${machine} (${name})`);
  if (running.length === 0) return undefined;
  return refuse({
    code: "migration-runs",
    message: `virtual machines are migrating: ${running.join(", ")}`,
    hint: "Wait until they have moved, or abort the migration with ops/migrate-vm",
  });
}

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  settings: wanted,
});

/** What the task reads from the cluster. */
type Now = Answers<"migrations"> & { readonly setting: KubernetesAnswer; readonly kubeVirt: KubernetesAnswer };

/**
 * Sets fields of Harvester's `kubevirt-migration` setting. Harvester writes the whole setting to KubeVirt, so the other
 * fields are preserved, including those that only KubeVirt has.
 */
export const migrationSettings = task({
  name: "migrationSettings",
  summary: "Change the live migration settings",
  params,
  examples: [],
  title: () => "the live migration settings",
})
  .facts((p) => ({
    setting: askObject(p.kubeconfig, settingPath(migrationSetting)),
    kubeVirt: askObject(p.kubeconfig, kubeVirtPath),
    ...askCluster(p.kubeconfig, "migrations"),
  }))
  .facts((p, now) => askTrial(p.kubeconfig, migrationSetting, newValue(p, now)))
  .facts((p, now) => askOthers(p.kubeconfig, now.trial))
  .want((p, now) => {
    const decision = decide(p, now);
    return decision instanceof Refusal ? decision : (trialProblem(migrationSetting, now) ?? decision);
  })
  .steps((p, { change, now }) => [
    change.setting &&
      kubernetesCall(p.kubeconfig, "PATCH", settingPath(migrationSetting), "set how machines migrate", {
        metadata: { resourceVersion: versionOf(now.setting) },
        value: textOf(p.settings, objectOf(now.setting, setting), objectOf(now.kubeVirt, kubeVirt)),
      }),
  ])
  .notes((_p, now) => trialNotes(migrationSetting, now));

/** The new value of the setting; undefined if the setting stays as it is, or the task refuses. */
function newValue(p: z.output<typeof params>, now: Now): string | undefined {
  const decision = decide(p, now);
  return decision instanceof Refusal ? undefined : decision.setting?.object.value;
}

/** What the task wants: the setting with its new value, or nothing if the setting is already correct. */
interface Wanted {
  readonly setting?: { readonly found: true; readonly object: { readonly value: string } };
}

function decide(p: z.output<typeof params>, now: Now): Wanted | Refusal {
  return decideOnObject(now.setting, setting, "how live migration is configured", (own) => {
    if (own === undefined)
      return refuse({
        code: "no-setting",
        message: `Harvester has no setting ${migrationSetting}`,
        hint: "Upgrade to v1.7 or later",
      });
    const live = fieldsIn(own["value"]);
    if (live === undefined)
      return refuse({
        code: "unreadable-setting",
        message: `the setting ${migrationSetting} has a value that furrow cannot read`,
        hint: "Correct it in the Harvester UI",
      });
    if (differing(live, p.settings).length === 0) return {};
    return decideOnObject(now.kubeVirt, kubeVirt, "which settings KubeVirt has", (virt) =>
      decideOn(
        now,
        ["migrations"],
        "whether a machine is migrating",
        (seen) =>
          whileMigrating(seen) ?? {
            setting: { found: true, object: { value: textOf(p.settings, own, virt) } },
          },
      ),
    );
  });
}

function objectOf(
  answer: KubernetesAnswer,
  asked: { readonly kind: string; readonly name: string },
): Fields | undefined {
  const look = lookAtObject(answer, asked);
  return "seen" in look ? look.seen : undefined;
}

/**
 * The setting's whole value. A setting without a value has not been written to KubeVirt yet, so KubeVirt's own fields
 * apply.
 */
function textOf(settings: Fields, own: Fields | undefined, virt: Fields | undefined): string {
  const live = fieldsIn(own?.["value"]) ?? {};
  const base = Object.keys(live).length > 0 ? live : { ...fieldsIn(own?.["default"]), ...migrationsIn(virt) };
  return JSON.stringify({ ...base, ...settings });
}

/** Ends the wait if the setting no longer has the wanted fields: Harvester will not write them to KubeVirt then. */
function changedMeanwhile(settings: z.output<typeof wanted>, answer: KubernetesAnswer): Refusal | undefined {
  const look = lookAtObject(answer, setting);
  if ("unseen" in look) return undefined;
  const gone = differing(fieldsIn(look.seen?.["value"]) ?? {}, settings);
  if (gone.length === 0) return undefined;
  return refuse({
    code: "changed-meanwhile",
    message: `the setting ${migrationSetting} has been changed in the meantime: it no longer has ${listed(gone)}`,
    hint: "Find out who changes it, then rerun",
    final: true,
  });
}

function listed(fields: readonly (readonly [string, unknown])[]): string {
  return fields.map(([name, value]) => `${name} ${String(value)}`).join(", ");
}

/** Waits until KubeVirt has applied the live migration settings. */
export const migrationSettingsReady = task({
  name: "migrationSettingsReady",
  summary: "Wait until KubeVirt has applied the live migration settings",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    settings: wanted,
    deadlineSeconds: seconds().describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: () => "KubeVirt has applied the live migration settings",
})
  .facts((p) => ({
    kubeVirt: askObject(p.kubeconfig, kubeVirtPath),
    setting: askObject(p.kubeconfig, settingPath(migrationSetting)),
  }))
  .want((p, now) =>
    decideOnObject(now.kubeVirt, kubeVirt, "which settings KubeVirt has", (own) => {
      const live = migrationsIn(own);
      const open = differing(live, p.settings);
      if (open.length === 0) return {};
      const changed = changedMeanwhile(p.settings, now.setting);
      if (changed !== undefined) return changed;
      return refuse({
        code: "not-yet",
        message: `KubeVirt has not applied ${listed(open)}`,
        hint: "Look at the setting in the Harvester UI",
      });
    }),
  )
  .wait((p) => ({
    intervalSeconds: 2,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "Harvester to configure KubeVirt",
  }));
