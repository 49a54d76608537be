"""The rules by which the installer refuses a configuration, as a table.

Each rule cites the check of the real installer that it reproduces: a function in pkg/installer of the repository
harvester/harvester (v1.8; before that, pkg/ of harvester/harvester-installer). The rules have the installer's order.
`refuses` gets the configuration and the machine (machine.py) and returns what is wrong, or None.
"""
import json
import re
from collections import namedtuple
from ipaddress import IPv4Address

from config import at

Rule = namedtuple("Rule", "name where refuses")

SETTINGS = set("""
additional-ca api-ui-version cluster-registration-url server-version ui-index ui-path ui-source ui-plugin-index
volume-snapshot-class backup-target upgradable-versions upgrade-checker-enabled upgrade-checker-url
release-download-url log-level ssl-certificates ssl-parameters support-bundle-image support-bundle-namespaces
support-bundle-timeout support-bundle-expiration support-bundle-node-collection-timeout default-storage-class
http-proxy vm-force-reset-policy overcommit-config vip-pools auto-disk-provision-paths csi-driver-config
containerd-registry storage-network default-vm-termination-grace-period-seconds auto-rotate-rke2-certs
kubeconfig-default-token-ttl-minutes harvester-csi-ccm-versions ntp-servers additional-guest-memory-overhead-ratio
csi-online-expand-validation ui-plugin-bundled-version upgrade-config longhorn-v2-data-engine-enabled
max-hotplug-ratio vm-migration-network rancher-cluster kubevirt-migration cluster-pod-security-standard
""".split())
NAME = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = re.compile(rf"{NAME}(\.{NAME})*")
LABEL_PART = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
TOKEN = re.compile(r"[a-zA-Z0-9 !\"#$%&'()*+,\-./:;<=>?@^_`{|}~\[\]\\]+")
MAC = re.compile(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE)


def is_ipv4(text):
    try:
        return bool(IPv4Address(text))
    except ValueError:
        return False


def is_subdomain(text):
    return len(text) <= 253 and SUBDOMAIN.fullmatch(text) is not None


def mode(c, m):
    if at(c, "install.mode") not in ("create", "join", "install", "upgrade"):
        return f"there is no mode {at(c, 'install.mode')!r}"


def is_mode(c, *modes):
    return at(c, "install.mode") in modes


def server_url_form(c, m):
    url = at(c, "serverUrl").strip()
    if not url:
        return None
    match = re.fullmatch(r"(https://)?([^/:]+)(:(\d+))?(/.*)?", url)
    if match is None or not (is_ipv4(match[2]) or is_subdomain(match[2])):
        return f"server_url {url} does not name a server"
    if match[5]:
        return f"server_url has a path, {match[5]}"
    if match[4] not in (None, "443"):
        return f"server_url has port {match[4]}, but only 443 works"


def interface_by_address(c, m):
    cards = {card["mac"].lower() for card in m["interfaces"].values()}
    for one in at(c, "install.managementInterface.interfaces", []):
        wanted = one.get("hwAddr") or ""
        if not one.get("name") and wanted and wanted.lower().replace("-", ":") not in cards:
            return f"no network card has the address {wanted}"


def interfaces(c, m):
    for one in at(c, "install.managementInterface.interfaces", []):
        name = one.get("name") or ""
        if not name and not one.get("hwAddr"):
            return "an interface has neither name nor hwAddr"
        if name and name not in m["interfaces"]:
            return f"there is no interface {name}, only {' '.join(sorted(m['interfaces']))}"
        if name and m["interfaces"][name]["loopback"]:
            return f"the interface {name} is the loopback"


def static_network(c, m):
    network = at(c, "install.managementInterface", {})
    if at(network, "method").lower() != "static":
        return None
    if not at(c, "os.dnsNameservers", []):
        return "a static address needs os.dns_nameservers"
    for name in ("ip", "subnetMask", "gateway"):
        if not is_ipv4(at(network, name)):
            return f"a static address needs {name} as an IPv4 address, not {at(network, name)!r}"
    if at(network, "mtu", 0) and not 576 <= at(network, "mtu", 0) <= 9000:
        return f"an MTU of {at(network, 'mtu')} is not from 576 to 9000"


def device(c, m):
    wanted = at(c, "install.device")
    if not wanted:
        return "install.device is missing"
    if m["links"].get(wanted, wanted) not in m["disks"]:
        return f"there is no disk {wanted}, only {' '.join(sorted(m['disks']))}"


def disk_size(c, m):
    if at(c, "install.skipchecks", False):
        return None
    def gib(path):
        name = at(c, path)
        return m["disks"].get(m["links"].get(name, name), 0) >> 30
    data = at(c, "install.dataDisk")
    single = data in ("", at(c, "install.device")) and at(c, "install.role") != "witness"
    least = 250 if single else 180
    if gib("install.device") < least:
        return f"the disk has {gib('install.device')} GiB, and {least} GiB are needed"
    if not single and data and gib("install.dataDisk") < 50:
        return f"the data disk has {gib('install.dataDisk')} GiB, and 50 GiB are needed"


def vip(c, m):
    if not is_mode(c, "create"):
        return None
    if not is_ipv4(at(c, "install.vip")):
        return f"install.vip {at(c, 'install.vip')!r} is not an IPv4 address"
    how = at(c, "install.vipMode").lower()
    if how == "dhcp" and not MAC.fullmatch(at(c, "install.vipHwAddr")):
        # If the address or the hardware address is empty, the installer gets it by DHCP; the stand-in does not.
        return f"install.vip_hw_addr {at(c, 'install.vipHwAddr')!r} is not a hardware address"
    if how not in ("dhcp", "static", "none"):
        return f"there is no vip_mode {how!r}"


def settings(c, m):
    if not is_mode(c, "create"):
        return None
    found = at(c, "systemSettings", {})
    unknown = sorted(set(found) - SETTINGS)
    if unknown:
        return f"there is no setting {unknown[0]}"
    try:
        if not isinstance(json.loads(found.get("containerd-registry") or "{}"), dict):
            return "the setting containerd-registry is not a JSON object"
    except ValueError:
        return "the setting containerd-registry is not JSON"


def labels(c, m):
    for name, value in at(c, "os.labels", {}).items():
        prefix, _, last = name.rpartition("/")
        if not re.fullmatch(LABEL_PART, last) or ("/" in name and not is_subdomain(prefix)):
            return f"{name!r} is not a label name"
        if value and not re.fullmatch(LABEL_PART, value):
            return f"{value!r} is not a label value"


def state_paths(c, m):
    for path in at(c, "os.persistentStatePaths", []):
        if not path.startswith("/") or path == "/tmp" or path.startswith("/tmp/"):
            return f"persistent_state_paths {path!r} is not an absolute path outside /tmp"


def force_mbr(c, m):
    if not at(c, "install.forceMbr", False):
        return None
    wanted = at(c, "install.device")
    if m["disks"].get(m["links"].get(wanted, wanted), 0) > 2199023255040:
        return "the disk is too large for an MBR"
    if m["efi"]:
        return "an MBR cannot be forced on a UEFI system"


def preflight(c, m):
    if at(c, "install.skipchecks", False):
        return None
    if m["processors"] < 16:
        return f"{m['processors']} processors are too few: 8 for a test, 16 in production"
    if m["memoryBytes"] >> 30 < 60.8:
        return f"{m['memoryBytes'] >> 30} GiB of memory are too little: 32 for a test, 64 in production"
    if m["virtual"]:
        return f"the machine is virtual ({m['virtual']}), which is not for production"
    if not m["kvm"]:
        return "there is no /dev/kvm"


def when(test, message):
    """Makes a rule from one condition."""
    return lambda c, m: message if test(c, m) else None


RULES = [
    Rule("interface by address", "console/install_panels.go addInstallPanel, config.FindNetworkInterfaceName", interface_by_address),
    Rule("server_url form", "console/util.go getFormattedServerURL", server_url_form),
    Rule("preflight", "console/install_panels.go addInstallPanel, preflight/checks.go", preflight),
    Rule("default route", "console/install_panels.go checkDefaultRoute",
         when(lambda c, m: at(c, "install.managementInterface.method").lower() == "dhcp" and not m["defaultRoute"],
              "DHCP gave no default route: option routers is missing")),
    Rule("server_url in create", "console/validator.go commonCheck",
         when(lambda c, m: is_mode(c, "create") and at(c, "serverUrl"), "create takes no server_url")),
    Rule("server_url in join", "console/validator.go commonCheck",
         when(lambda c, m: is_mode(c, "join") and not at(c, "serverUrl"), "join needs a server_url")),
    Rule("mode", "console/validator.go commonCheck", mode),
    Rule("iso_url", "console/validator.go commonCheck",
         when(lambda c, m: not is_mode(c, "install", "upgrade") and at(c, "install.automatic", False) and not at(c, "install.isoUrl"),
              "an automatic installation needs install.iso_url")),
    Rule("token", "console/validator.go commonCheck",
         when(lambda c, m: not is_mode(c, "install", "upgrade") and not at(c, "token"), "the token is missing")),
    Rule("credentials", "console/validator.go commonCheck",
         when(lambda c, m: not at(c, "os.sshAuthorizedKeys", []) and not at(c, "os.password"),
              "neither os.password nor os.ssh_authorized_keys")),
    Rule("persistent_state_paths", "console/validator.go checkPersistentStatePaths", state_paths),
    Rule("scheme_version", "console/validator.go Validate",
         when(lambda c, m: at(c, "schemeVersion", 0) != 1, "scheme_version must be 1")),
    Rule("hostname", "console/validator.go Validate",
         when(lambda c, m: not is_subdomain(at(c, "os.hostname")), "os.hostname is not a lower-case RFC 1123 name")),
    Rule("device", "console/validator.go checkDevice", device),
    Rule("disk size", "console/validator.go checkDevice, validateDiskSize", disk_size),
    Rule("force_mbr", "console/validator.go checkForceMBR", force_mbr),
    Rule("management interface", "console/validator.go Validate, checkNetworks",
         when(lambda c, m: not is_mode(c, "install") and not at(c, "install.managementInterface.interfaces", []),
              "install.management_interface has no interfaces")),
    Rule("network method", "console/validator.go checkNetworks",
         when(lambda c, m: not is_mode(c, "install") and at(c, "install.managementInterface.method").lower() not in ("dhcp", "static"),
              "install.management_interface.method must be dhcp or static")),
    Rule("interfaces", "console/validator.go checkInterface", interfaces),
    Rule("vlan_id", "console/validator.go checkNetworks",
         when(lambda c, m: not 0 <= at(c, "install.managementInterface.vlanId", 0) <= 4094, "vlan_id is not from 0 to 4094")),
    Rule("static network", "console/validator.go checkNetworks, checkIP, checkMTU", static_network),
    Rule("token characters", "console/validator.go checkToken",
         when(lambda c, m: not is_mode(c, "install") and not TOKEN.fullmatch(at(c, "token")), "the token has characters outside printable ASCII")),
    Rule("vip", "console/validator.go checkVip", vip),
    Rule("system_settings", "console/validator.go checkSystemSettings", settings),
    Rule("labels", "config/config.go GetKubeletArgs", labels),
    Rule("role", "console/util.go roleSetup",
         when(lambda c, m: at(c, "install.role") not in ("", "default", "management", "worker", "witness"), "there is no such role")),
]


def firmware(cmdline, machine):
    """Returns why the installer stops before it reads its configuration, or None: since v1.8 it refuses BIOS, whatever
    `skipchecks` says (console/install_panels.go addInstallPanel, preflight/checks.go BIOSCheck). The release is known
    from the name of the root file system; another name is treated as a new release."""
    release = re.search(r" root=live:\S*/harvester-v(\d+)\.(\d+)\.", f" {cmdline}")
    if machine["efi"] or (release and (int(release[1]), int(release[2])) < (1, 8)):
        return None
    return "Legacy BIOS systems are no longer supported. Please reconfigure the system to use UEFI prior to installation."


def refusal(config, machine):
    """Returns the first rule that fails, as (name, what is wrong), or None if the installer would continue."""
    for rule in RULES:
        wrong = rule.refuses(config, machine)
        if wrong:
            return rule.name, wrong
    return None
