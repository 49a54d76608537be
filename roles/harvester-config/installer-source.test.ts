import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "../../src/authoring.ts";
import { newOpenSshKey } from "../../src/core/secrets/openssh-key.ts";
import { pendingSecrets, reveal } from "../../src/core/secrets/secret.ts";
import type { InstallerKey } from "../../scripts/installer/keys.ts";
import { covered } from "../../test/covered.ts";
import { clusterNodes, clusterSchema } from "../cluster/cluster.ts";
import { createConfig, joinConfig, refusedKeys } from "./config-schema.ts";
import { renderConfig } from "./config-text.ts";
import { refusedInstallKeys } from "./install-part.ts";
import { installerRules } from "./installer-rules.ts";
import { nodeConfig } from "./node-config.ts";
import { systemSettings } from "./system-settings.ts";

interface Refusal {
  readonly file: string;
  readonly function: string;
  readonly line: number;
  readonly says: string;
}

/** What scripts/installer/read-source.ts has read from the installer's own Go source. */
const source = JSON.parse(readFileSync(join(import.meta.dirname, "installer-source.json"), "utf8")) as {
  readonly files: readonly { readonly path: string; readonly commit: string }[];
  readonly keys: readonly InstallerKey[];
  readonly settings: readonly string[];
  readonly refusals: readonly Refusal[];
};

type Schema = z.core.JSONSchema.JSONSchema;

/** The dotted paths of all keys in a schema. */
function keysIn(schema: Schema, at = ""): string[] {
  const { properties = {}, items, additionalProperties: more, anyOf = [], allOf = [] } = schema;
  const below = at === "" ? "" : `${at}.`;
  return [
    ...Object.entries(properties).flatMap(([key, value]) => [
      `${below}${key}`,
      ...keysIn(value as Schema, `${below}${key}`),
    ]),
    ...(typeof items === "object" ? keysIn(items as Schema, `${at}[]`) : []),
    ...(typeof more === "object" ? keysIn(more, `${below}*`) : []),
    ...[...anyOf, ...allOf].flatMap((one) => keysIn(one, at)),
  ];
}

const schemas = [createConfig, joinConfig].map((one) =>
  z.toJSONSchema(one, { unrepresentable: "any", io: "output", reused: "inline" }),
);
const known = new Set([
  ...schemas.flatMap((schema) => keysIn(schema)),
  ...Object.keys(refusedKeys),
  ...Object.keys(refusedInstallKeys).map((key) => `install.${key}`),
]);

test("knows the same keys as the installer's source, no more and no fewer", () => {
  const theirs = source.keys.map(({ snake }) => snake);
  expect([...known].filter((key) => !theirs.includes(key))).toEqual([]);
  expect(theirs.filter((key) => !known.has(key))).toEqual([]);
  covered(`${theirs.length} keys of Harvester's configuration, equal to the installer's source`);
});

test("knows the same settings as the installer's source", () => {
  expect([...systemSettings].toSorted()).toEqual(source.settings.toSorted());
});

/** Refusals that depend on the machine, not only on the configuration; the stand-in's own test covers them. */
const onMachine = [
  "no interface matching hardware address %s found",
  "interface not found",
  "device not found",
  "device size too small. At least %dG is required",
  "disk size too large for MBR partitioning table",
  "cannot force MBR on UEFI system",
];
/**
 * Refusals in the source that no configuration can trigger: an earlier check fails, or nothing calls the function.
 */
const unreachable = [
  "no interface specified for management network",
  "unknown network method",
  "%s is not a valid domain",
];

test.each(installerRules.map((rule) => [rule.name, rule] as const))(
  "cites the installer's source: %s",
  (_name, rule) => {
    const found = source.refusals.filter(
      ({ file, function: name, says }) => `${file} ${name}` === rule.where && says === rule.says,
    );
    expect(found.map(({ line }) => line)).toHaveLength(1);
  },
);

test("has a rule for each refusal in the installer's source", () => {
  const rules = installerRules.map(({ where, says }) => `${where}: ${says}`);
  const without = source.refusals.filter(
    ({ file, function: name, says }) =>
      !rules.includes(`${file} ${name}: ${says}`) && !onMachine.includes(says) && !unreachable.includes(says),
  );
  expect(without).toEqual([]);
  covered(`${source.refusals.length} places where the installer refuses a configuration, each with a rule or a reason`);
});

test("writes only keys that the installer reads, whatever a cluster configures", () => {
  const cluster = clusterSchema.parse({ ...minimal, config: everything });
  const [node] = clusterNodes(cluster);
  for (const {
    settle,
    source: { from },
  } of pendingSecrets())
    settle(from === "generatedKey" ? newOpenSshKey("node") : "grainofsalt");
  const text = node === undefined ? "" : renderConfig(nodeConfig(cluster, node, "203.0.113.10"));
  const written = pathsIn(JSON.parse(reveal(text)));
  const theirs = new Set(source.keys.map(({ snake }) => snake));
  expect(written.filter((path) => !theirs.has(path) && !/\.\*(\[\])?$/.test(path))).toEqual([]);
  expect(written).toEqual(
    expect.arrayContaining([
      "install.harvester.longhorn.default_settings.guaranteed_instance_manager_c_p_u",
      "install.harvester.storage_class.replica_count",
      "install.management_interface.bond_options",
      "os.external_storage_config.multi_path_config.blacklistWwids",
    ]),
  );
  expect(JSON.stringify(written)).not.toContain("default_route");
});

const maps = new Set(source.keys.filter(({ type }) => type.startsWith("map[string]")).map(({ snake }) => snake));

/** The dotted paths of all keys in a value; `[]` stands for an item of a list, `*` for a name in a map. */
function pathsIn(value: unknown, at = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${at}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const path = maps.has(at) ? `${at}.*` : at === "" ? key : `${at}.${key}`;
    return [path, ...pathsIn(item, path)];
  });
}

const minimal = { disks: ["/dev/disk/by-id/a"], token: "t", password: "p" };

/** The keys of v1.8's page "Harvester Configuration" that a cluster may set, in the spelling of that page. */
const everything = {
  sans: ["harvester.example.com"],
  os: {
    sshd: { sftp: true, disable_password_auth: true },
    ntp_servers: ["192.0.2.1"],
    dns_nameservers: ["192.0.2.2"],
    modules: ["kvm"],
    sysctls: { "kernel.printk": "4 4 1 7" },
    environment: { http_proxy: "http://proxy.example.com" },
    labels: { "topology.kubernetes.io/zone": "zone1" },
    writeFiles: [{ encoding: "", content: "text", owner: "root", path: "/etc/test.txt", permissions: "0755" }],
    afterInstallChrootCommands: ["true"],
    persistentStatePaths: ["/var/lib/rook"],
    externalStorageConfig: {
      enabled: true,
      multiPathConfig: {
        blacklist: [{ vendor: "!QEMU", product: "!QEMU HARDDISK" }],
        blacklistWwids: [".*"],
        blacklistExceptions: [{ vendor: "DELL", product: "POWERVAULT" }],
        blacklistExceptionWwids: ["^0QEMU_QEMU_HARDDISK_disk[0-9]+"],
      },
    },
    additionalKernelArguments: "multipath=on",
  },
  install: {
    management_interface: {
      interfaces: [{ name: "ens5", hwAddr: "B8:CA:3A:6A:64:7C" }],
      default_route: true,
      method: "dhcp",
      bond_options: { mode: "balance-tlb", miimon: 100 },
      mtu: 1492,
      vlan_id: 101,
    },
    force_efi: true,
    data_disk: "/dev/vdb",
    silent: true,
    poweroff: true,
    no_format: true,
    debug: true,
    tty: "ttyS0,115200n8",
    cluster_pod_cidr: "10.52.0.0/16",
    cluster_service_cidr: "10.53.0.0/16",
    cluster_dns: "10.53.0.10",
    addons: { rancher_monitoring: { enabled: true, values_content: "" } },
    harvester: {
      storage_class: { replica_count: 1 },
      longhorn: { default_settings: { guaranteedInstanceManagerCPU: 6, storageReservedPercentageForDefaultDisk: 15 } },
    },
    persistent_partition_size: "150Gi",
    wipe_all_disks: true,
    wipe_disks_list: ["/dev/vda"],
    with_net_images: true,
    webhooks: [
      {
        event: "STARTED",
        method: "GET",
        url: "https://192.0.2.3/{{.Hostname}}",
        insecure: true,
        basicAuth: { user: "admin", password: "secret" },
        headers: { "Content-Type": ["application/json"] },
        payload: "{}",
      },
    ],
  },
  system_settings: { "auto-disk-provision-paths": "" },
};
