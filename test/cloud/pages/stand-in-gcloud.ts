import { aKey, aName, aNetwork, type Command, machineIn, one, Refused } from "./stand-in-words.ts";

/** The properties of a flag like `--create-disk=name=a,size=350GB`. */
function propertiesOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(",").map((part) => part.split(/=(.*)/s).slice(0, 2))) as Record<string, string>;
}

/** The commands of gcloud that the pages use: https://cloud.google.com/sdk/gcloud/reference/compute/instances/create */
export const gcloud: Readonly<Record<string, Command>> = {
  "compute instances create": {
    flags: {
      "--zone": /^[a-z]+-[a-z]+\d-[a-z]$/,
      // Series that support nested virtualization:
      // https://cloud.google.com/compute/docs/instances/nested-virtualization/overview
      "--machine-type": /^(n1|n2|n4)-standard-\d+$/,
      "--enable-nested-virtualization": "yes",
      "--image-family": aName,
      "--image-project": aName,
      "--boot-disk-size": /^\d+(GB|TB)$/,
      "--boot-disk-type": /^(pd|hyperdisk)-[a-z]+$/,
      "--create-disk": /^(\w[\w-]*=[^,=]+)(,\w[\w-]*=[^,=]+)*$/,
      "--metadata": /^ssh-keys=[a-z]\w*:ssh-/,
      "--tags": aName,
    },
    required: [],
    names: 1,
    act: (given, created) => {
      if (given.flags["--enable-nested-virtualization"] === undefined)
        throw new Refused("nested virtualization is not enabled for this machine");
      const disks = (given.flags["--create-disk"] ?? []).map(propertiesOf);
      const known = new Set(["name", "device-name", "size", "type"]);
      const unknown = disks.flatMap((disk) => Object.keys(disk)).find((name) => !known.has(name));
      if (unknown !== undefined) throw new Refused(`--create-disk: unknown property ${unknown}`);
      // https://cloud.google.com/compute/docs/general-purpose-machines#n4_series: N4 supports only Hyperdisk; N1 and N2
      // boot from Persistent Disk, which is the default.
      const wanted = one(given, "--machine-type").startsWith("n4-") ? "hyperdisk-" : "pd-";
      const [boot = "pd-balanced"] = given.flags["--boot-disk-type"] ?? [];
      const odd = [boot, ...disks.map(({ type = "pd-standard" }) => type)].find((type) => !type.startsWith(wanted));
      if (odd !== undefined) throw new Refused(`${one(given, "--machine-type")} cannot have a disk of the type ${odd}`);
      const [, user = "", key = ""] = /^ssh-keys=(\w+):(.*)$/s.exec(one(given, "--metadata")) ?? [];
      created.machine = {
        user,
        key: aKey(key),
        disks: disks.map((disk) => `/dev/disk/by-id/google-${disk["device-name"] ?? "persistent-disk-1"}`),
        open: [],
        tags: given.flags["--tags"] ?? [],
      };
      return undefined;
    },
  },
  "compute firewall-rules create": {
    flags: { "--target-tags": aName, "--source-ranges": aNetwork, "--allow": /^(tcp|udp):\d+(,(tcp|udp):\d+)*$/ },
    required: ["--allow"],
    names: 1,
    act: (given, created) => {
      const machine = machineIn(created, ({ tags }) => tags.includes(one(given, "--target-tags")));
      machine.open = one(given, "--allow")
        .split(",")
        .map((rule) => `${rule.replace("tcp:", "")} ${one(given, "--source-ranges")}`);
      return undefined;
    },
  },
};
