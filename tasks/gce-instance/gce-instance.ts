import { absent, knownAfterApply, peek, task } from "../../src/authoring.ts";
import { canNest, gce, type GceInstance, gceOsLoginOn, gceOwner } from "../../src/facts/catalogue.ts";
import { foreign } from "../gce-network/own.ts";
import { obstacleToChange, obstacleToDelete, obstacleToNew } from "./obstacles.ts";
import { metadataOf, params, type Params, regionOf } from "./params.ts";
import { notesOnKeys, obstacleOfKeys } from "./os-login.ts";
import { changeInstance, createInstance, deleteInstance, reserved, reservedForNew, tagsOf } from "./steps.ts";

/** Creates, starts, stops or deletes an instance in Google Compute Engine, and outputs how to reach it. */
export const gceInstance = task({
  name: "gceInstance",
  summary: "Create, start, stop or delete an instance in Google Compute Engine",
  params,
  service: "gce",
  examples: [
    {
      name: "harvester",
      project: "harvester-lab-1234",
      zone: "europe-west3-a",
      machineType: "n2-standard-16",
      image: { project: "suse-cloud", family: "sles-15" },
      disks: ["harvester-data-1"],
      network: "harvester",
      nested: true,
      sshKeys: [{ user: "admin", key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample" }],
    },
  ],
  title: (p) => `gceInstance ${p.name}`,
  disturbs: () => [gce.all],
})
  .facts(({ project, zone, name }) => ({ instance: gce.instance({ project, zone, name }) }))
  .facts((p, { instance }) => {
    const { project, zone } = p;
    const isWanted = p.state !== "absent";
    const isNew = isWanted && instance === absent;
    const address = typeof p.address === "object" ? p.address.name : undefined;
    return {
      types: isNew && p.machineType !== undefined ? [gce.machineType({ project, zone, name: p.machineType })] : [],
      networks: isNew && p.network !== undefined ? [gce.network({ project, name: p.network })] : [],
      subnetworks:
        isNew && p.subnetwork !== undefined
          ? [gce.subnetwork({ project, region: regionOf(zone), name: p.subnetwork })]
          : [],
      diskTypes: isNew ? [gce.diskType({ project, zone, name: p.bootDisk.type })] : [],
      images: isNew && p.image !== undefined ? [imageFact(p.image)] : [],
      disks: isWanted ? p.disks.map((name) => gce.disk({ project, zone, name })) : [],
      addresses:
        isWanted && address !== undefined ? [gce.address({ project, region: regionOf(zone), name: address })] : [],
      logins: isWanted && p.sshKeys.length > 0 ? [gceOsLoginOn({ project, zone, name: p.name })] : [],
    };
  })
  .facts((p, { types: [type = absent], networks: [network = absent] }) => ({
    ranges:
      p.network !== undefined &&
      p.subnetwork === undefined &&
      network !== absent &&
      peek(network, "autoSubnets") === false
        ? [gce.ranges({ project: p.project, name: p.network })]
        : [],
    others:
      p.nested && type !== absent && !canNest(type)
        ? [gce.machineTypes({ project: p.project, zone: p.zone }, type.cpus)]
        : [],
  }))
  .want((p, { instance, types, networks, images, addresses, diskTypes, logins, ...rest }) => {
    const refusal = foreign("instance", p, instance);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") return obstacleToDelete(p, instance) ?? { instance: absent };
    if (instance === absent) {
      const [machineType = absent] = types;
      const [network = absent] = networks;
      const [image = absent] = images;
      const [diskType = absent] = diskTypes;
      const obstacle =
        obstacleOfKeys(p, logins) ?? obstacleToNew(p, { machineType, network, image, diskType, addresses, ...rest });
      const unprotected = { deletionProtection: p.deletionProtection ?? false };
      return obstacle ?? { instance: { ...wanted(p), ...unprotected, ...decidedByProvider } };
    }
    return obstacleToChange(p, instance, reserved(addresses)) ?? { instance: wanted(p) };
  })
  .steps((p, { change, now }) => {
    if (change.instance === undefined) return [];
    const { instance, images, addresses } = now;
    if (p.state === "absent") {
      return deleteInstance(p, instance);
    }
    if (instance === absent) {
      const [image = absent] = images;
      return createInstance(p, { image: image === absent ? "" : image.link, address: reservedForNew(addresses) });
    }
    return changeInstance(p, instance, new Set(change.instance.paths.map((path) => path.split(".")[0] ?? "")));
  })
  .notes((p, { logins }) => (p.state === "absent" ? [] : notesOnKeys(p, logins)))
  .outputs((p, { instance }) => (instance === absent ? nowhere(p.name) : placeOf(p.name, instance)));

function imageFact(image: NonNullable<Params["image"]>) {
  const name = "family" in image ? image.family : image.name;
  return gce.image({ project: image.project, name }, "family" in image);
}

/** The values that are not known until the instance exists. */
const decidedByProvider = {
  internalAddress: knownAfterApply,
  address: knownAfterApply,
  hostKeys: knownAfterApply,
} as const;

function wanted(p: Params) {
  const isRunning = p.state === "present";
  return {
    status: isRunning ? "RUNNING" : "TERMINATED",
    machineType: p.machineType,
    nested: p.nested,
    spot: p.spot,
    network: p.network,
    subnetwork: p.subnetwork,
    ...(p.address === "none" && { external: false }),
    hostname: p.hostname,
    serviceAccount: p.serviceAccount?.email,
    scopes: p.serviceAccount?.scopes.toSorted(),
    deletionProtection: p.deletionProtection,
    tags: tagsOf(p),
    labels: p.labels,
    metadata: metadataOf(p),
    disks: Object.fromEntries(p.disks.map((disk) => [disk, { disk, boot: false, autoDelete: false }])),
    ...(isRunning && p.hostKeys && { verified: true }),
    description: gceOwner(p.owner),
  };
}

/** Returns a host for the `hosts` of a later play: name, address and host keys. */
function placeOf(name: string, { address, internalAddress, hostKeys }: GceInstance) {
  return { name, address: address === "" ? internalAddress : address, internalAddress, hostKeys };
}

function nowhere(name: string) {
  return { name, address: "", internalAddress: "", hostKeys: [] as readonly string[] };
}
