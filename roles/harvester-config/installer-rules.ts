/**
 * The configurations that Harvester's installer refuses, as data. Tests apply these rules to furrow's own schema and,
 * independently, to the stand-in installer. They also compare the rules with installer-source.json: there is a rule for
 * each place in the installer's source that refuses a configuration without inspecting the machine.
 */
export interface InstallerRule {
  /** The reason for the refusal, in a few words. */
  readonly name: string;
  /** The file (below pkg/installer of harvester/harvester) and the function in which the installer checks this. */
  readonly where: string;
  /** The installer's message as in its source, with Go's placeholders, or the name of its constant. */
  readonly says: string;
  /** The valid configuration that the change applies to. */
  readonly of: "create" | "join";
  /** The change that makes the configuration invalid: values by dotted path; undefined removes the key. */
  readonly change: Readonly<Record<string, unknown>>;
}

/** A configuration for a first node that the installer accepts. */
export const validCreate = {
  scheme_version: 1,
  token: "a token",
  os: { hostname: "harvester-1", password: "$6$salt$hash", ssh_authorized_keys: ["ssh-ed25519 AAAA me"] },
  install: {
    mode: "create",
    management_interface: {
      interfaces: [{ hwAddr: "52:54:00:68:76:01" }],
      method: "dhcp",
      bond_options: { mode: "active-backup", miimon: 100 },
    },
    device: "/dev/vda",
    iso_url: "http://192.168.130.1/harvester.iso",
    tty: "ttyS0,115200n8",
    vip: "192.168.130.120",
    vip_mode: "static",
  },
  system_settings: { "log-level": "Debug" },
} as const;

const { vip: _vip, vip_mode: _mode, ...installCommon } = validCreate.install;
const { system_settings: _settings, ...common } = validCreate;

/** A configuration that the installer accepts for an additional node. */
export const validJoin = {
  ...common,
  server_url: "https://192.168.130.120:443",
  install: { ...installCommon, mode: "join" },
} as const;

const static_ = {
  "install.management_interface.method": "static",
  "install.management_interface.ip": "192.168.130.11",
  "install.management_interface.subnet_mask": "255.255.255.0",
  "install.management_interface.gateway": "192.168.130.1",
  "os.dns_nameservers": ["192.168.130.1"],
};

const validate = "console/validator.go Validate";
const common_ = "console/validator.go commonCheck";
const networks = "console/validator.go checkNetworks";
const required = "console/validator.go checkStaticRequiredString";

const page = "https://docs.harvesterhci.io/v1.1/install/harvester-configuration/";
const unsupported = `Unsupported Harvester Scheme Version %d, please use new config and refer ${page}`;
const deprecated = `networks is deprecated, please use management_interface for new config and refer ${page}#installmanagement_interface`;
const hostname =
  "invalid hostname. A lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'";
const characters = "Invalid token. Must be alphanumeric and OWASP special password characters. Regexp: %v";

/** The installer's checks, each with a configuration that only this check refuses. */
export const installerRules: readonly InstallerRule[] = [
  rule("another scheme version", validate, unsupported, { scheme_version: 2 }),
  rule("no scheme version", validate, unsupported, { scheme_version: undefined }),
  rule("an unknown mode", common_, "unknown mode", { "install.mode": "build" }),
  rule("a server URL in create mode", common_, "ServerURL need to be empty in %s mode", {
    server_url: "https://192.168.130.120:443",
  }),
  rule("no server URL in join mode", common_, "ServerURL can't empty in %s mode", { server_url: undefined }, "join"),
  rule("no ISO", common_, "iso_url is required in automatic installation", { "install.iso_url": undefined }),
  rule("no token", common_, "token not specified", { token: "" }),
  rule("nobody could log in", common_, "no SSH authorized keys or passwords are set", {
    "os.password": undefined,
    "os.ssh_authorized_keys": [],
  }),
  rule(
    "a persistent path that is not absolute",
    "console/validator.go checkPersistentStatePath",
    "Invalid path. PersistentStatePath must be an absolute path",
    { "os.persistent_state_paths": ["var/lib/rook"] },
  ),
  rule(
    "a persistent path below /tmp",
    "console/validator.go checkPersistentStatePath",
    "Invalid path. Parent dir of PersistentStatePath cannot be %s",
    { "os.persistent_state_paths": ["/tmp/rook"] },
  ),
  rule("a host name with capital letters", validate, hostname, { "os.hostname": "Harvester_1" }),
  rule("no disk", "console/validator.go checkDevice", "no device specified", { "install.device": "" }),
  rule("no management interface", validate, deprecated, {
    "install.management_interface.interfaces": [],
  }),
  rule(
    "the loopback as management interface",
    "console/validator.go checkInterface",
    "interface is a loopback interface",
    { "install.management_interface.interfaces": [{ name: "lo" }] },
  ),
  rule("an interface without a name", "console/validator.go checkInterface", "no interface specified", {
    "install.management_interface.interfaces": [{ name: "" }],
  }),
  rule("neither DHCP nor static", networks, "management network must configure with either static or DHCP method", {
    "install.management_interface.method": "none",
  }),
  rule("the static method without name servers", networks, "DNS servers are required for static IP address", {
    ...static_,
    "os.dns_nameservers": undefined,
  }),
  rule("the static method without an address", required, "must specify %s in static method", {
    ...static_,
    "install.management_interface.ip": undefined,
  }),
  rule("the static method without a subnet mask", required, "must specify %s in static method", {
    ...static_,
    "install.management_interface.subnet_mask": undefined,
  }),
  rule("the static method without a gateway", required, "must specify %s in static method", {
    ...static_,
    "install.management_interface.gateway": undefined,
  }),
  rule("an invalid address", "console/validator.go checkIP", "%s is not a valid IP address", {
    ...static_,
    "install.management_interface.ip": "192.168.130.256",
  }),
  rule("an MTU that is too small", "console/validator.go checkMTU", "%d is not a valid MTU value", {
    ...static_,
    "install.management_interface.mtu": 500,
  }),
  rule("a VLAN out of range", networks, "ErrMsgVLANShouldBeANumberInRange", {
    "install.management_interface.vlan_id": 4095,
  }),
  rule("a token with invalid characters", "console/validator.go checkToken", characters, { token: "tökén" }),
  rule("an invalid virtual address", "console/validator.go checkIP", "%s is not a valid IP address", {
    "install.vip": "harvester.local",
  }),
  rule("an unknown virtual address mode", "console/validator.go checkVip", "unknown vip mode", {
    "install.vip_mode": "manual",
  }),
  rule(
    "a virtual address from DHCP without a MAC address",
    "console/validator.go checkHwAddr",
    "%s is an invalid hardware address, error: %w",
    {
      "install.vip_mode": "dhcp",
    },
  ),
  rule("an unknown setting", "console/validator.go checkSystemSettings", "unknown system settings: %s", {
    "system_settings.colour": "green",
  }),
  rule(
    "a registry that is not JSON",
    "console/validator.go checkSystemSettings",
    "could not parse containerd-registry as JSON",
    { "system_settings.containerd-registry": "{" },
  ),
  rule("an invalid label name", "config/config.go GetKubeletArgs", "invalid label name '%s': %s", {
    "os.labels": { "-zone": "a" },
  }),
  rule("an invalid label value", "config/config.go GetKubeletArgs", "invalid label value '%s': %s", {
    "os.labels": { zone: "a b" },
  }),
];

function rule(
  name: string,
  where: string,
  says: string,
  change: InstallerRule["change"],
  of: "create" | "join" = "create",
): InstallerRule {
  return { name, where, says, change, of };
}

/** Returns the configuration that a rule refuses. */
export function refusedConfig({ of, change }: InstallerRule): Record<string, unknown> {
  const config = structuredClone(of === "create" ? validCreate : validJoin) as unknown as Record<string, unknown>;
  for (const [path, value] of Object.entries(change)) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let place = config;
    for (const key of keys) place = (place[key] ??= {}) as Record<string, unknown>;
    if (value === undefined) delete place[last];
    else place[last] = value;
  }
  return config;
}
