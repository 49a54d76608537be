import { aName, aNetwork, type Command, keyIn, machineIn, one, Refused } from "./stand-in-words.ts";

/**
 * The names that Azure forbids for the administrator, as far as they concern us:
 * https://learn.microsoft.com/azure/virtual-machines/linux/faq
 */
const forbidden = /^(admin|administrator|root|test|user|guest|owner|server|sys|support)$/;

/** Sizes that support nested virtualization: Intel's Dv5 and Ev5, with a Premium disk. */
const nesting = /^Standard_[DE](16|32|48|64|96)d?s_v5$/;

const inGroup = { "--resource-group": aName, "--name": aName } as const;

/** The commands of the Azure CLI that the pages use: https://learn.microsoft.com/cli/azure/vm#az-vm-create */
export const az: Readonly<Record<string, Command>> = {
  "feature register": {
    flags: { "--namespace": /^Microsoft\.Compute$/, "--name": /^UseStandardSecurityType$/ },
    required: ["--namespace", "--name"],
    names: 0,
    act: (_given, created) => void (created["feature"] = true),
  },
  "provider register": {
    flags: { "--namespace": /^Microsoft\.\w+$/, "--wait": "yes" },
    required: ["--namespace"],
    names: 0,
    act: (_given, created) => void (created["propagated"] = created["feature"]),
  },
  "group create": {
    flags: { "--name": aName, "--location": /^[a-z]+\d?$/ },
    required: ["--name", "--location"],
    names: 0,
    act: (given, created) => void (created[`group ${one(given, "--name")}`] = true),
  },
  "vm create": {
    flags: {
      ...inGroup,
      "--size": nesting,
      // Trusted Launch is the default: https://learn.microsoft.com/azure/virtual-machines/trusted-launch
      "--security-type": /^(Standard|TrustedLaunch|ConfidentialVM)$/,
      "--image": /^[\w-]+:[\w.-]+:[\w.-]+:(latest|[\d.]+)$/,
      "--os-disk-size-gb": /^\d+$/,
      "--data-disk-sizes-gb": "many",
      "--admin-username": /^[a-z_][a-z0-9_-]{0,31}$/,
      "--ssh-key-values": "many",
      "--public-ip-sku": /^(Basic|Standard)$/,
      "--nsg-rule": /^(NONE|RDP|SSH)$/,
    },
    required: ["--resource-group", "--name"],
    names: 0,
    act: (given, created, address) => {
      const group = one(given, "--resource-group");
      if (created[`group ${group}`] === undefined) throw new Refused(`Resource group '${group}' could not be found`);
      if (one(given, "--security-type") !== "Standard")
        throw new Refused("this machine would not support nested virtualization");
      if (created["propagated"] !== true)
        throw new Refused("'Standard' is not available for property 'securityType' until the feature is registered");
      const user = one(given, "--admin-username");
      if (user === "" || forbidden.test(user))
        throw new Refused(`This user name '${user}' meets the general requirements, but is specifically disallowed`);
      const sizes = given.flags["--data-disk-sizes-gb"] ?? [];
      if (sizes.length === 0 || sizes.some((size) => !(Number(size) >= 339)))
        throw new Refused("a node's disk is too small");
      created.machine = {
        user,
        key: keyIn(one(given, "--ssh-key-values")),
        disks: sizes.map((_size, at) => `/dev/disk/azure/scsi1/lun${at}`),
        open: [],
        tags: [`${one(given, "--name")}NSG`],
      };
      return JSON.stringify({ powerState: "VM running", publicIpAddress: address, resourceGroup: group });
    },
  },
  "network nsg rule create": {
    flags: {
      ...inGroup,
      "--nsg-name": aName,
      "--priority": /^([1-9]\d{2}|[1-3]\d{3}|40[0-8]\d|409[0-6])$/,
      "--protocol": /^(Tcp|Udp|Icmp|Esp|Ah|\*)$/,
      "--source-address-prefixes": "many",
      "--destination-port-ranges": "many",
      "--direction": /^(Inbound|Outbound)$/,
      "--access": /^(Allow|Deny)$/,
    },
    required: ["--resource-group", "--name", "--nsg-name", "--priority"],
    names: 0,
    act: (given, created) => {
      const machine = machineIn(created, ({ tags }) => tags.includes(one(given, "--nsg-name")));
      const from = one(given, "--source-address-prefixes");
      if (!aNetwork.test(from)) throw new Refused(`not a network: ${from}`);
      machine.open = (given.flags["--destination-port-ranges"] ?? []).map((port) => `${port} ${from}`);
      return undefined;
    },
  },
  "vm show": {
    flags: {
      ...inGroup,
      "--show-details": "yes",
      "--query": /^(publicIps|privateIps)$/,
      "--output": /^(json|jsonc|table|tsv|yaml|yamlc|none)$/,
    },
    required: ["--resource-group", "--name"],
    names: 0,
    act: (given, created, address) => {
      machineIn(created);
      // Without --show-details, the answer has no addresses.
      return given.flags["--show-details"] === undefined ? "" : address;
    },
  },
};
