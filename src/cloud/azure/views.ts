import {
  type AzureCard,
  type AzureDisk,
  azureHostKeyTag,
  type AzureImage,
  type AzureMachine,
  type AzureNetwork,
  type AzureResource,
  type AzureSecurityGroup,
  type AzureSize,
  type AzureTags,
} from "../../facts/cloud/azure/index.ts";
import {
  groupIn,
  locationIn,
  nameFrom,
  nameIn,
  objectOf,
  objectsOf,
  propertiesOf,
  type Raw,
  textOf,
  textsOf,
} from "./raw.ts";

/** The tags of a resource. */
export function tagsOf(raw: Raw): AzureTags {
  return Object.fromEntries(Object.entries(objectOf(raw["tags"])).map(([name, value]) => [name, textOf(value)]));
}

/** What every resource contains. */
export function resourceOf(raw: Raw): AzureResource {
  return {
    location: locationIn(raw["location"]),
    state: textOf(propertiesOf(raw)["provisioningState"]),
    tags: tagsOf(raw),
  };
}

/** A virtual network, from the API's data. */
export function networkOf(raw: Raw): AzureNetwork {
  const { addressSpace, subnets } = propertiesOf(raw);
  const own = objectsOf(subnets).map((subnet) => {
    const { addressPrefix, addressPrefixes, networkSecurityGroup } = propertiesOf(subnet);
    const cidr = textOf(addressPrefix) || textsOf(addressPrefixes).join(",");
    return [
      textOf(subnet["name"]),
      { cidr, securityGroup: nameFrom(objectOf(networkSecurityGroup)["id"], raw) },
    ] as const;
  });
  const cidrs = textsOf(objectOf(addressSpace)["addressPrefixes"]).toSorted();
  return { ...resourceOf(raw), cidrs, subnets: Object.fromEntries(own) };
}

/** A network security group, from the API's data. */
export function securityGroupOf(raw: Raw): AzureSecurityGroup {
  const rules = objectsOf(propertiesOf(raw)["securityRules"]);
  return {
    ...resourceOf(raw),
    inbound: [...new Set(rules.filter(isPlain).flatMap(linesOf))].toSorted(),
    other: rules
      .filter((rule) => !isPlain(rule))
      .map((rule) => textOf(rule["name"]))
      .toSorted(),
  };
}

/** Whether a rule only allows inbound traffic, from any port to any address. */
function isPlain(rule: Raw): boolean {
  const { access, direction, protocol, sourcePortRange, destinationAddressPrefix, ...rest } = propertiesOf(rule);
  const groups = objectsOf(rest["sourceApplicationSecurityGroups"]).concat(
    objectsOf(rest["destinationApplicationSecurityGroups"]),
  );
  return (
    access === "Allow" &&
    direction === "Inbound" &&
    /^(tcp|udp|icmp)$/i.test(textOf(protocol)) &&
    sourcePortRange === "*" &&
    destinationAddressPrefix === "*" &&
    groups.length === 0
  );
}

function linesOf(rule: Raw): string[] {
  const all = propertiesOf(rule);
  const some = (many: string, one: string): readonly string[] => {
    const list = textsOf(all[many]);
    return list.length > 0 ? list : [textOf(all[one])];
  };
  const ports = some("destinationPortRanges", "destinationPortRange");
  const sources = some("sourceAddressPrefixes", "sourceAddressPrefix");
  const protocol = textOf(all["protocol"]).toLowerCase();
  return ports.flatMap((port) => sources.map((from) => `${protocol}:${port} ${from === "*" ? "0.0.0.0/0" : from}`));
}

/** A network interface, from the API's data. */
export function cardOf(raw: Raw): AzureCard {
  return { ...resourceOf(raw), machine: nameFrom(objectOf(propertiesOf(raw)["virtualMachine"])["id"], raw) };
}

/** The settings of an interface's first IPv4 configuration. */
export function configurationOf(card: Raw): Raw {
  return propertiesOf(firstConfigurationOf(card));
}

/** The first IPv4 configuration of an interface, with its name. */
export function firstConfigurationOf(card: Raw): Raw {
  const four = objectsOf(propertiesOf(card)["ipConfigurations"]).filter(
    (one) => propertiesOf(one)["privateIPAddressVersion"] !== "IPv6",
  );
  return four.find((one) => propertiesOf(one)["primary"] === true) ?? four[0] ?? {};
}

/**
 * A managed disk, from the API's data. A disk that can be attached to several machines lists them only in
 * `managedByExtended`.
 */
export function diskOf(raw: Raw): AzureDisk {
  const holders = [textOf(raw["managedBy"]), ...textsOf(raw["managedByExtended"])].map((id) => nameFrom(id, raw));
  return {
    ...resourceOf(raw),
    zone: textsOf(raw["zones"])[0] ?? "",
    sizeGb: Number(propertiesOf(raw)["diskSizeGB"] ?? 0),
    type: textOf(objectOf(raw["sku"])["name"]),
    machine: [...new Set(holders.filter((name) => name !== ""))].join(", "),
  };
}

/** A virtual machine, from the API's data, without the data of its interface. */
export function machineOf(raw: Raw): Omit<AzureMachine, "network" | "publicAddress" | "address" | "privateAddress"> {
  const { storageProfile, securityProfile, hardwareProfile, osProfile } = propertiesOf(raw);
  const { osDisk, dataDisks, imageReference } = objectOf(storageProfile);
  const { linuxConfiguration } = objectOf(osProfile);
  const tags = tagsOf(raw);
  const hostKey = tags[azureHostKeyTag] ?? "";
  const disks = objectsOf(dataDisks).map((disk) => {
    const deleteOption = disk["deleteOption"] === "Delete" ? ("Delete" as const) : ("Detach" as const);
    return [nameOfDisk(disk), { lun: Number(disk["lun"]), deleteOption }] as const;
  });
  return {
    id: textOf(propertiesOf(raw)["vmId"]),
    location: locationIn(raw["location"]),
    status: statusOf(raw),
    size: textOf(objectOf(hardwareProfile)["vmSize"]),
    zone: textsOf(raw["zones"])[0] ?? "",
    security: securityOf(textOf(objectOf(securityProfile)["securityType"])),
    login: textOf(objectOf(osProfile)["adminUsername"]),
    image: ["publisher", "offer", "sku", "version"].map((part) => textOf(objectOf(imageReference)[part])).join(":"),
    publicKeys: objectsOf(objectOf(objectOf(linuxConfiguration)["ssh"])["publicKeys"])
      .map(({ keyData }) => textOf(keyData).trim())
      .toSorted(),
    osDisk: nameOfDisk(objectOf(osDisk)),
    disks: Object.fromEntries(disks),
    cards: cardsOf(raw).map(({ id }) => cardNameIn(id, raw)),
    tags,
    hostKeys: hostKey === "" ? [] : [hostKey],
  };
}

/** The references of a machine to its interfaces, the primary one first. */
export function cardsOf(raw: Raw): readonly Raw[] {
  const all = objectsOf(objectOf(propertiesOf(raw)["networkProfile"])["networkInterfaces"]);
  const isPrimary = (one: Raw): boolean => propertiesOf(one)["primary"] === true;
  return [...all.filter(isPrimary), ...all.filter((one) => !isPrimary(one))];
}

function cardNameIn(id: unknown, machine: Raw): string {
  const [group, own] = [groupIn(id), groupIn(machine["id"])];
  return group.toLowerCase() === own.toLowerCase() ? nameIn(id) : `${group}/${nameIn(id)}`;
}

function nameOfDisk(disk: Raw): string {
  return nameIn(objectOf(disk["managedDisk"])["id"]) || textOf(disk["name"]);
}

function securityOf(type: string): string {
  if (type === "TrustedLaunch") return "trustedLaunch";
  return type === "ConfidentialVM" ? "confidential" : "standard";
}

/**
 * The power state; while the machine is being created or deleted, or if its creation failed, the provisioning state.
 */
function statusOf(raw: Raw): string {
  const { provisioningState, instanceView } = propertiesOf(raw);
  const power = objectsOf(objectOf(instanceView)["statuses"]).flatMap(
    ({ code }) => /^PowerState\/(.+)$/.exec(textOf(code))?.[1] ?? [],
  )[0];
  const state = textOf(provisioningState).toLowerCase();
  if (state === "succeeded" || (state === "updating" && power !== undefined)) return power ?? "unknown";
  // Any failed operation results in this state, even a start of a machine that has existed for years.
  if (/^(failed|canceled)$/.test(state)) return isUnmade(raw) ? "failed" : (power ?? "unknown");
  return state;
}

/** Whether the creation of a machine failed before the machine had a disk; `raw` must include the power state. */
export function isUnmade(raw: Raw): boolean {
  const { provisioningState, instanceView, storageProfile } = propertiesOf(raw);
  const hasPower = objectsOf(objectOf(instanceView)["statuses"]).some(({ code }) =>
    textOf(code).startsWith("PowerState/"),
  );
  const diskId = textOf(objectOf(objectOf(objectOf(storageProfile)["osDisk"])["managedDisk"])["id"]);
  return /^(failed|canceled)$/i.test(textOf(provisioningState)) && !hasPower && diskId === "";
}

/** A machine size; `raw` is a resource SKU of the type virtualMachines. */
export function sizeOf(raw: Raw): AzureSize {
  const values = new Map(objectsOf(raw["capabilities"]).map(({ name, value }) => [textOf(name), textOf(value)]));
  const can = (name: string): boolean => values.get(name) === "True";
  const restrictions = objectsOf(raw["restrictions"]);
  const whole = restrictions.find(({ type }) => type !== "Zone");
  const zones = restrictions
    .filter(({ type }) => type === "Zone")
    .flatMap(({ restrictionInfo }) => textsOf(objectOf(restrictionInfo)["zones"]));
  return {
    vcpus: Number(values.get("vCPUs") ?? 0),
    family: textOf(raw["family"]),
    zones: [...new Set(objectsOf(raw["locationInfo"]).flatMap((info) => textsOf(info["zones"])))].toSorted(),
    restricted: whole === undefined ? "" : textOf(whole["reasonCode"]) || "restricted",
    restrictedZones: zones.toSorted(),
    generations: (values.get("HyperVGenerations") ?? "V1").split(","),
    architecture: values.get("CpuArchitectureType") ?? "x64",
    mostDataDisks: Number(values.get("MaxDataDiskCount") ?? 0),
    premiumDisks: can("PremiumIO"),
    trustedLaunch: !can("TrustedLaunchDisabled"),
    scsi: (values.get("DiskControllerTypes") ?? "SCSI").includes("SCSI"),
  };
}

/** A marketplace image. */
export function imageOf(raw: Raw): AzureImage {
  const { hyperVGeneration, architecture, plan } = propertiesOf(raw);
  return {
    generation: textOf(hyperVGeneration) || "V1",
    architecture: textOf(architecture) || "x64",
    plan: typeof plan === "object" && plan !== null,
  };
}
