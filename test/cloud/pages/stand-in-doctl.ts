import {
  aName,
  aNetwork,
  type Command,
  type Created,
  type Given,
  keyIn,
  machineIn,
  one,
  Refused,
} from "./stand-in-words.ts";

const columns = { "--format": /^[A-Z]\w+(,[A-Z]\w+)*$/, "--no-header": "yes" } as const;
const region = /^[a-z]{3}\d$/;

/** What a command prints about a resource with `--format` and `--no-header`. */
function shown(given: Given, values: Readonly<Record<string, string>>): string {
  const wanted = one(given, "--format").split(",");
  const unknown = wanted.find((column) => !(column in values));
  if (unknown !== undefined) throw new Refused(`unknown column "${unknown}"`);
  const header = given.flags["--no-header"] === undefined ? `${wanted.join("    ")}\n` : "";
  return header + wanted.map((column) => values[column] ?? "").join("    ");
}

/** The ports in rules like `protocol:tcp,ports:22,address:192.0.2.0/24`, separated by spaces. */
function portsIn(rules: string): string[] {
  return rules.split(" ").map((rule) => {
    const parts = Object.fromEntries(rule.split(",").map((part) => part.split(/:(.*)/s).slice(0, 2))) as Record<
      string,
      string
    >;
    const { protocol = "", ports = "", address = "" } = parts;
    if (!/^(tcp|udp|icmp)$/.test(protocol) || !/^(all|\d+(-\d+)?)$/.test(ports) || !aNetwork.test(address))
      throw new Refused(`invalid rule: ${rule}`);
    return `${ports} ${address}`;
  });
}

const idOf = (created: Created, thing: string): string => {
  const id = created[thing];
  if (typeof id !== "string") throw new Refused(`${thing} was not found`);
  return id;
};

/** The commands of doctl that the pages use: https://docs.digitalocean.com/reference/doctl/reference/compute/ */
export const doctl: Readonly<Record<string, Command>> = {
  "compute ssh-key import": {
    flags: { ...columns, "--public-key-file": /./ },
    required: ["--public-key-file"],
    names: 1,
    act: (given, created) => {
      created["key"] = keyIn(one(given, "--public-key-file"));
      created["fingerprint"] = "3b:16:e4:bf:8b:00:8b:b8:59:8c:a9:d3:f0:19:fa:45";
      return shown(given, { ID: "512190", Name: given.names[0] ?? "", FingerPrint: idOf(created, "fingerprint") });
    },
  },
  "compute volume create": {
    flags: { ...columns, "--region": region, "--size": /^\d+(GiB|TiB)$/, "--desc": /./, "--fs-type": /^(ext4|xfs)$/ },
    required: ["--size"],
    names: 1,
    act: (given, created) => {
      // A volume with a file system would be refused by furrow.
      if (given.flags["--fs-type"] !== undefined) throw new Refused("the volume must be empty");
      const [name = ""] = given.names;
      if (Number.parseInt(one(given, "--size"), 10) < 339) throw new Refused("a node's disk is too small");
      created["volume"] = "506f78a4-e098-11e5-ad9f-000f53306ae1";
      created["volumeName"] = name;
      created["volumeRegion"] = one(given, "--region");
      return shown(given, { ID: idOf(created, "volume"), Name: name });
    },
  },
  "compute droplet create": {
    flags: {
      ...columns,
      "--region": region,
      "--size": /^[a-z]+\d*-\d+vcpu-\d+gb$/,
      "--image": /^[a-z]+-\d+(-\d+)?-x64$/,
      "--ssh-keys": /./,
      "--volumes": /./,
      "--tag-names": aName,
      "--tag-name": aName,
      "--wait": "yes",
    },
    required: ["--size", "--image"],
    names: 1,
    act: (given, created, address) => {
      const keys = one(given, "--ssh-keys");
      if (keys !== idOf(created, "fingerprint"))
        throw new Refused(`${keys} are invalid key identifiers for Droplet creation`);
      if (one(given, "--volumes") !== idOf(created, "volume") || one(given, "--region") !== created["volumeRegion"])
        throw new Refused("the volume is not in the droplet's region");
      created.machine = {
        user: "root",
        key: idOf(created, "key"),
        disks: [`/dev/disk/by-id/scsi-0DO_Volume_${idOf(created, "volumeName")}`],
        open: [],
        tags: given.flags["--tag-names"] ?? [],
      };
      // Without --wait, a new droplet has no address yet.
      const PublicIPv4 = given.flags["--wait"] === undefined ? "" : address;
      return shown(given, { ID: "386734086", Name: given.names[0] ?? "", PublicIPv4 });
    },
  },
  "compute firewall create": {
    flags: {
      ...columns,
      "--name": aName,
      "--tag-names": aName,
      "--droplet-ids": /^\d+$/,
      "--inbound-rules": /./,
      "--outbound-rules": /./,
    },
    required: ["--name"],
    names: 0,
    act: (given, created) => {
      const machine = machineIn(created, ({ tags }) => tags.includes(one(given, "--tag-names")));
      if (portsIn(one(given, "--outbound-rules")).length < 2) throw new Refused("the machine could not resolve names");
      machine.open = portsIn(one(given, "--inbound-rules"));
      return undefined;
    },
  },
};
