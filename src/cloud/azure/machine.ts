import { FurrowError } from "../../core/errors.ts";
import { absent } from "../../core/facts/symbols.ts";
import { type AzureAct, azurePartsOf } from "../../facts/cloud/azure/index.ts";
import type { Api } from "./api.ts";
import { putCard } from "./card.ts";
import { tagFirstDisk } from "./delete-machine.ts";
import { change, idOf, put } from "./change.ts";
import { calledOf } from "./kinds.ts";
import { objectOf, objectsOf, propertiesOf, type Raw, textOf } from "./raw.ts";
import { assertOwn, owned, rawMachine, settled } from "./read.ts";
import { isUnmade } from "./views.ts";

type Act<K extends AzureAct["act"]> = Extract<AzureAct, { readonly act: K }>;

/**
 * Creates a machine with its address and its interface, or retries a creation that has failed. Every call states the
 * desired result, so repeating it never creates a second machine. The first disk, the interface and the address are
 * deleted together with the machine; the data disks are not.
 */
export async function createMachine(api: Api, act: Act<"createMachine">): Promise<void> {
  const { name, group, owner, location, zone, security, tags } = act;
  const { osDisk, card } = azurePartsOf(name);
  await settled(api, "machine", act);
  const now = await rawMachine(api, act);
  if (now !== absent) assertUnmade(now, act);
  await assertNoFirstDisk(api, act);
  await putCard(api, act, act.publicAddress ? "get" : now === absent ? "none" : "keep");
  await Promise.all(act.disks.map((disk) => owned(api, "disk", { group, name: disk, owner })));
  if (now !== absent) {
    await put(api, "machine", act, again(api, act, now));
    return tagFirstDisk(api, act, osDisk);
  }
  const [publisher, offer, sku, version] = act.image.split(":");
  const properties = {
    hardwareProfile: { vmSize: act.size },
    storageProfile: {
      imageReference: { publisher, offer, sku, version },
      osDisk: {
        name: osDisk,
        createOption: "FromImage",
        diskSizeGB: act.osDiskGb,
        managedDisk: { storageAccountType: act.osDiskType },
        deleteOption: "Delete",
      },
      dataDisks: act.disks.map((disk, lun) => dataDisk(api, group, disk, lun)),
    },
    osProfile: {
      computerName: name,
      adminUsername: act.login,
      linuxConfiguration: {
        disablePasswordAuthentication: true,
        ssh: {
          publicKeys: act.publicKeys.map((keyData) => ({ path: `/home/${act.login}/.ssh/authorized_keys`, keyData })),
        },
      },
    },
    networkProfile: {
      networkInterfaces: [
        { id: idOf(api, "card", { group, name: card }), properties: { primary: true, deleteOption: "Delete" } },
      ],
    },
    // The boot diagnostics record the console, which shows the host keys at the first boot.
    diagnosticsProfile: { bootDiagnostics: { enabled: true } },
    securityProfile:
      security === "standard"
        ? { securityType: "Standard" }
        : { securityType: "TrustedLaunch", uefiSettings: { secureBootEnabled: true, vTpmEnabled: true } },
  };
  const zones = zone === undefined ? {} : { zones: [zone] };
  await put(api, "machine", act, { location, tags, ...zones, properties });
  await tagFirstDisk(api, act, osDisk);
}

/** Refuses a machine that was already created, because a full PUT would remove some of its settings. */
function assertUnmade(now: Raw, act: Act<"createMachine">): void {
  assertOwn(now, calledOf("machine", act), act.owner);
  if (isUnmade(now)) return;
  throw new FurrowError("E_DRIVER", {
    what: `cannot create the machine ${act.name}, because it now exists`,
    current: `its provisioning state is ${textOf(propertiesOf(now)["provisioningState"])}`,
    expected: "no machine, or one whose creation has failed",
    hint: "Rerun: the next run changes the machine instead",
  });
}

/**
 * Refuses a machine whose first disk already exists. Azure itself would refuse the machine only after the address and
 * the interface have been created.
 */
async function assertNoFirstDisk(api: Api, { name, group }: Act<"createMachine">): Promise<void> {
  const { osDisk } = azurePartsOf(name);
  if ((await settled(api, "disk", { group, name: osDisk })) === absent) return;
  throw new FurrowError("E_DRIVER", {
    what: `cannot create the machine ${name}, because the disk ${osDisk} already exists`,
    expected: "no disk with the name of the machine's first disk",
    hint: "Rename the machine, or delete that disk if nobody needs it",
  });
}

/**
 * The body of the request that retries a failed creation: everything that Azure has stored, with the settings that may
 * have changed since.
 */
function again(api: Api, act: Act<"createMachine">, now: Raw): object {
  const {
    id: _id,
    name: _name,
    type: _type,
    etag: _etag,
    resources: _extensions,
    properties: _properties,
    ...top
  } = now;
  const { provisioningState: _state, instanceView: _view, vmId: _vmId, ...properties } = propertiesOf(now);
  const storageProfile = objectOf(properties["storageProfile"]);
  const has = objectsOf(storageProfile["dataDisks"]);
  const isAttached = (disk: string): boolean =>
    has.some(({ name }) => textOf(name).toLowerCase() === disk.toLowerCase());
  const taken = new Set(has.map(({ lun }) => Number(lun)));
  const free = Array.from({ length: 64 }, (_, lun) => lun).filter((lun) => !taken.has(lun));
  const missing = act.disks.filter((disk) => !isAttached(disk));
  const more = missing.map((disk, at) => dataDisk(api, act.group, disk, free[at] ?? 64));
  return {
    ...top,
    tags: { ...objectOf(now["tags"]), ...act.tags },
    properties: {
      ...properties,
      hardwareProfile: { ...objectOf(properties["hardwareProfile"]), vmSize: act.size },
      storageProfile: { ...storageProfile, dataDisks: [...has, ...more] },
    },
  };
}

function dataDisk(api: Api, group: string, name: string, lun: number): object {
  const id = idOf(api, "disk", { group, name });
  return { lun, name, createOption: "Attach", managedDisk: { id }, deleteOption: "Detach" };
}

/** Gives a machine a public address, or repairs its interface and the address that it has. */
export async function setPublicAddress(api: Api, act: Act<"setPublicAddress">): Promise<void> {
  await owned(api, "machine", act);
  await putCard(api, act, act.publicAddress ? "get" : "keep");
}

/** Attaches data disks to a machine; disks that are already attached stay attached. */
export async function attachDisks(api: Api, act: Act<"attachDisks">): Promise<void> {
  const { group, name, owner } = act;
  await Promise.all(Object.keys(act.disks).map((disk) => owned(api, "disk", { group, name: disk, owner })));
  const now = await owned(api, "machine", act);
  const has = objectsOf(objectOf(propertiesOf(now)["storageProfile"])["dataDisks"]);
  const taken = has.find(({ lun }) => Object.values(act.disks).includes(Number(lun)));
  if (taken !== undefined) {
    throw new FurrowError("E_DRIVER", {
      what: `cannot attach disks to the machine ${name}: LUN ${textOf(taken["lun"])} is now in use`,
      current: textOf(taken["name"]),
      hint: "Rerun: the next run chooses another LUN",
    });
  }
  const more = Object.entries(act.disks).map(([disk, lun]) => dataDisk(api, group, disk, lun));
  const body = { properties: { storageProfile: { dataDisks: [...has, ...more] } } };
  await change(api, "machine", act, { method: "PATCH", body, what: `attach disks to the machine ${name}` });
  await settled(api, "machine", act);
}

/** Changes the size of a machine that is not running. */
export async function resizeMachine(api: Api, act: Act<"resizeMachine">): Promise<void> {
  await owned(api, "machine", act);
  const body = { properties: { hardwareProfile: { vmSize: act.size } } };
  const what = `resize the machine ${act.name} to ${act.size}`;
  await change(api, "machine", act, { method: "PATCH", body, what });
  await settled(api, "machine", act);
}

/** Starts a machine, or stops it so that Azure does not charge for its processors. */
export async function powerMachine(api: Api, act: Act<"startMachine" | "stopMachine">): Promise<void> {
  await owned(api, "machine", act);
  const [below, verb] = act.act === "startMachine" ? ["start", "start"] : ["deallocate", "stop"];
  await change(api, "machine", act, { method: "POST", below, what: `${verb} the machine ${act.name}` });
  await settled(api, "machine", act);
}
