import { absent, type Json, peek, type Step } from "../../src/authoring.ts";
import { gce, type GceInstance, gceOwner, gceSeen } from "../../src/facts/catalogue.ts";
import { metadataOf, type Params, regionOf } from "./params.ts";

/** The instance and its place, for each of its steps. */
function placeOf({ project, zone, name }: Params) {
  return { sort: "instance", place: { project, zone, name } } as const;
}

/** The resources that an instance is created from, in addition to its params. */
export interface Found {
  /** The link to the image. */
  readonly image: string;
  /** The reserved address; undefined if none is reserved. */
  readonly address: string | undefined;
}

/** Returns the steps that create an instance and, if the desired state is stopped, stop it. */
export function createInstance(p: Params, found: Found): Step[] {
  return [
    gce.call({
      ...placeOf(p),
      method: "insert",
      fields: { instanceResource: resource(p, found) },
      until: p.state === "stopped" ? { status: "RUNNING" } : running(p),
      label: `create instance ${p.name}`,
    }),
    ...(p.state === "stopped" ? [stop(p, absent)] : []),
  ];
}

/**
 * Returns the steps that bring an existing instance into the desired state. `differs` contains the first part of each
 * path that differs.
 */
export function changeInstance(p: Params, now: GceInstance, differs: ReadonlySet<string>): Step[] {
  const act = { ...placeOf(p), seen: gceSeen(p.owner, now) };
  const steps: Step[] = [];
  const settled = settling[now.status];
  if (settled !== undefined) {
    steps.push(gce.call({ ...act, until: { status: settled }, label: `wait until instance ${p.name} is ${settled}` }));
  }
  const change = (method: string, label: string, fields: Record<string, Json>, until: Json): void =>
    void steps.push(gce.call({ ...act, method, fields, until, label: `${label} instance ${p.name}` }));
  const { tagsFingerprint, labelFingerprint, metadataFingerprint } = now;
  if (differs.has("labels")) {
    const labels = { ...now.labels, ...p.labels };
    const body = { labels, labelFingerprint };
    change("setLabels", "label", { instancesSetLabelsRequestResource: body }, { labels: p.labels });
  }
  if (differs.has("metadata")) {
    const wanted = metadataOf(p);
    const items = Object.entries({ ...now.metadata, ...wanted }).map(([key, value]) => ({ key, value }));
    const body = { items, fingerprint: metadataFingerprint };
    change("setMetadata", "set metadata of", { metadataResource: body }, { metadata: wanted });
  }
  if (differs.has("tags")) {
    const tags = tagsOf(p);
    change("setTags", "set tags of", { tagsResource: { items: tags, fingerprint: tagsFingerprint } }, { tags });
  }
  if (differs.has("deletionProtection")) steps.push(protect(p, now, p.deletionProtection ?? false));
  if (differs.has("external")) {
    const fields = { accessConfig: accessConfig.name, networkInterface: "nic0" };
    change("deleteAccessConfig", "remove the external address from", fields, { external: false });
  }
  const meant = lostWith(now).filter(({ deviceName }) => p.disks.includes(deviceName));
  steps.push(...meant.map((disk) => keepDisk(p, now, disk)));
  for (const disk of p.disks.filter((name) => now.disks[name]?.disk !== name)) {
    const until = { disks: { [disk]: { disk } } };
    change("attachDisk", `attach ${disk} to`, { attachedDiskResource: dataDisk(p, disk) }, until);
  }
  const runs = (settled ?? now.status) === "RUNNING";
  if (runs && p.state === "stopped") steps.push(stop(p, now));
  if (differs.has("machineType")) {
    const body = { machineType: `zones/${p.zone}/machineTypes/${p.machineType ?? ""}` };
    const until = { machineType: p.machineType ?? "" };
    const verb = `set machine type ${p.machineType ?? ""} of`;
    change("setMachineType", verb, { instancesSetMachineTypeRequestResource: body }, until);
  }
  if (p.serviceAccount !== undefined && (differs.has("serviceAccount") || differs.has("scopes"))) {
    const { email, scopes } = p.serviceAccount;
    const body = { instancesSetServiceAccountRequestResource: { email, scopes } };
    change("setServiceAccount", `set service account ${email} of`, body, { serviceAccount: email });
  }
  if (!runs && p.state === "present") {
    change(settled === undefined && now.status === "SUSPENDED" ? "resume" : "start", "start", {}, running(p));
  } else if (differs.has("verified") && p.state === "present") {
    const label = `wait until instance ${p.name} has published its host keys`;
    steps.push(gce.call({ ...act, until: running(p), label }));
  }
  return steps;
}

/** Returns the steps that delete an instance. A protected one is deleted only if the task turns the protection off. */
export function deleteInstance(p: Params, now: GceInstance | typeof absent): Step[] {
  const act = { ...placeOf(p), seen: gceSeen(p.owner, now) };
  const label = `delete instance ${p.name} with its boot disk`;
  return [
    ...(now !== absent && now.deletionProtection ? [protect(p, now, false)] : []),
    ...(now === absent ? [] : lostWith(now).map((disk) => keepDisk(p, now, disk))),
    gce.call({ ...act, method: "delete", until: "absent", label }),
  ];
}

/** The data disks that Google would delete with an instance; never disks that furrow has attached. */
function lostWith(now: GceInstance) {
  const disks = peek(now, "disks");
  return Object.entries(typeof disks === "object" ? disks : {}).flatMap(([deviceName, { disk, boot, autoDelete }]) =>
    boot || !autoDelete ? [] : [{ deviceName, disk }],
  );
}

/** The step that keeps a data disk when its instance is deleted. */
function keepDisk(p: Params, now: GceInstance, { deviceName, disk }: ReturnType<typeof lostWith>[number]): Step {
  return gce.call({
    ...placeOf(p),
    seen: gceSeen(p.owner, now),
    method: "setDiskAutoDelete",
    fields: { deviceName, autoDelete: false },
    until: { disks: { [deviceName]: { autoDelete: false } } },
    label: `keep disk ${disk} when instance ${p.name} is deleted`,
  });
}

function protect(p: Params, now: GceInstance, deletionProtection: boolean): Step {
  return gce.call({
    ...placeOf(p),
    seen: gceSeen(p.owner, now),
    method: "setDeletionProtection",
    fields: { deletionProtection },
    until: { deletionProtection },
    label: `turn ${deletionProtection ? "on" : "off"} the deletion protection of instance ${p.name}`,
  });
}

/** The settled state that each transient state leads to. */
const settling: Readonly<Record<string, string>> = {
  PROVISIONING: "RUNNING",
  STAGING: "RUNNING",
  REPAIRING: "RUNNING",
  STOPPING: "TERMINATED",
  SUSPENDING: "SUSPENDED",
};

/** Returns the network tags in the form that the fact uses. */
export function tagsOf(p: Params): string[] {
  return [...new Set(p.tags)].toSorted();
}

function running(p: Params): Json {
  return { status: "RUNNING", ...(p.hostKeys && { verified: true }) };
}

function stop(p: Params, now: GceInstance | typeof absent): Step {
  const seen = gceSeen(p.owner, now);
  const label = `stop instance ${p.name}`;
  return gce.call({ ...placeOf(p), seen, method: "stop", until: { status: "TERMINATED" }, label });
}

/** The configuration of an external address on an instance's interface, without the address itself. */
const accessConfig = { name: "External NAT", type: "ONE_TO_ONE_NAT" };

function dataDisk({ project, zone }: Params, name: string) {
  return {
    source: `projects/${project}/zones/${zone}/disks/${name}`,
    deviceName: name,
    boot: false,
    autoDelete: false,
  };
}

function resource(p: Params, { image, address }: Found) {
  const { project, zone } = p;
  const items = Object.entries(metadataOf(p)).map(([key, value]) => ({ key, value }));
  const external = { ...accessConfig, ...(address !== undefined && { natIP: address }) };
  return {
    name: p.name,
    description: gceOwner(p.owner),
    machineType: `zones/${zone}/machineTypes/${p.machineType ?? ""}`,
    labels: p.labels,
    tags: { items: tagsOf(p) },
    metadata: { items },
    disks: [
      {
        boot: true,
        autoDelete: true,
        deviceName: "boot",
        initializeParams: {
          sourceImage: image,
          diskSizeGb: p.bootDisk.sizeGb,
          diskType: `projects/${project}/zones/${zone}/diskTypes/${p.bootDisk.type}`,
        },
        ...(p.bootDisk.kmsKey !== undefined && { diskEncryptionKey: { kmsKeyName: p.bootDisk.kmsKey } }),
      },
      ...p.disks.map((name) => dataDisk(p, name)),
    ],
    networkInterfaces: [
      {
        network: `projects/${project}/global/networks/${p.network ?? ""}`,
        ...(p.subnetwork !== undefined && {
          subnetwork: `projects/${project}/regions/${regionOf(zone)}/subnetworks/${p.subnetwork}`,
        }),
        ...(p.address !== "none" && { accessConfigs: [external] }),
      },
    ],
    ...(p.hostname !== undefined && { hostname: p.hostname }),
    ...(p.serviceAccount !== undefined && { serviceAccounts: [p.serviceAccount] }),
    ...(p.deletionProtection === true && { deletionProtection: true }),
    advancedMachineFeatures: { enableNestedVirtualization: p.nested },
    ...(p.spot && {
      scheduling: {
        provisioningModel: "SPOT",
        instanceTerminationAction: "STOP",
        onHostMaintenance: "TERMINATE",
        automaticRestart: false,
      },
    }),
  };
}

/** Returns the reserved address from the fact, if there is one. */
export function reserved(addresses: readonly ({ readonly address: string } | typeof absent)[]): string | undefined {
  const [first] = addresses;
  return first === undefined || first === absent ? undefined : first.address;
}

/**
 * Returns the reserved address for a new instance; empty if an earlier task of the plan reserves it, so that check mode
 * can still ask Google about the rest of the call.
 */
export function reservedForNew(
  addresses: readonly ({ readonly address: string } | typeof absent)[],
): string | undefined {
  const [first] = addresses;
  if (first === undefined || first === absent) return undefined;
  const address = peek(first, "address");
  return typeof address === "string" ? address : "";
}
