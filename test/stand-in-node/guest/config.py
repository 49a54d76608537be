"""Reads a node's configuration as the installer does.

The configuration comes from kernel arguments `harvester.a.b=value` (pkg/installer/config/read.go, util/cmdline.go) and
the document at `harvester.install.config_url`; kernel arguments have priority (Harvester's documentation, "PXE boot
installation"). Names may be in snake_case, in which each capital letter is a word of its own
(`guaranteed_instance_manager_c_p_u`), or in camelCase; plural names may omit the final s (config/rename.go), and unknown
names are ignored. A value of the wrong type is an error, with three exceptions: values in string maps, a single string in place
of a list, and booleans written as strings (config/schemas.go and config/coerce.go: mappers, then Go's JSON decoding
into the struct of config/config.go).
"""
import re

import yaml

TEXT, FLAG, NUMBER, ANY = "text", "flag", "number", "any"
TEXTS, TEXT_MAP = [TEXT], {"*": TEXT}
NETWORK = {
    "interfaces": [{"name": TEXT, "hwAddr": TEXT}],
    "method": TEXT, "ip": TEXT, "subnetMask": TEXT, "gateway": TEXT,
    "bondOptions": TEXT_MAP, "mtu": NUMBER, "vlanId": NUMBER,
}
WEBHOOK = {
    "event": TEXT, "method": TEXT, "headers": {"*": TEXTS}, "url": TEXT, "payload": TEXT, "insecure": FLAG,
    "basicAuth": {"user": TEXT, "password": TEXT},
}
WRITE_FILE = {"encoding": TEXT, "content": TEXT, "owner": TEXT, "path": TEXT, "permissions": TEXT}
OS = {
    "afterInstallChrootCommands": TEXTS, "sshAuthorizedKeys": TEXTS, "writeFiles": [WRITE_FILE], "hostname": TEXT,
    "modules": TEXTS, "sysctls": TEXT_MAP, "ntpServers": TEXTS, "dnsNameservers": TEXTS, "password": TEXT,
    "environment": TEXT_MAP, "labels": TEXT_MAP, "sshd": {"sftp": FLAG, "disablePasswordAuth": FLAG},
    "persistentStatePaths": TEXTS, "externalStorageConfig": {"enabled": FLAG, "multiPathConfig": ANY},
    "additionalKernelArguments": TEXT,
}
CHART = {
    "storageClass": {"replicaCount": NUMBER},
    "longhorn": {"defaultSettings": {
        "guaranteedEngineManagerCPU": NUMBER, "guaranteedReplicaManagerCPU": NUMBER,
        "guaranteedInstanceManagerCPU": NUMBER, "storageReservedPercentageForDefaultDisk": NUMBER,
    }},
    "enableGoCoverDir": FLAG,
}
INSTALL = {
    "automatic": FLAG, "skipchecks": FLAG, "mode": TEXT, "managementInterface": NETWORK, "vip": TEXT,
    "vipHwAddr": TEXT, "vipMode": TEXT, "clusterDns": TEXT, "clusterPodCidr": TEXT, "clusterServiceCidr": TEXT,
    "forceEfi": FLAG, "device": TEXT, "configUrl": TEXT, "silent": FLAG, "isoUrl": TEXT, "powerOff": FLAG,
    "noFormat": FLAG, "debug": FLAG, "tty": TEXT, "forceGpt": FLAG, "role": TEXT, "withNetImages": FLAG,
    "wipeAllDisks": FLAG, "wipeDisksList": TEXTS, "forceMbr": FLAG, "dataDisk": TEXT, "webhooks": [WEBHOOK],
    "addons": {"*": {"enabled": FLAG, "valuesContent": TEXT}}, "harvester": CHART, "rawDiskImagePath": TEXT,
    "persistentPartitionSize": TEXT,
}
CONFIG = {
    "schemeVersion": NUMBER, "serverUrl": TEXT, "token": TEXT, "sans": TEXTS, "os": OS, "install": INSTALL,
    "systemSettings": TEXT_MAP, "runtimeVersion": TEXT, "rancherVersion": TEXT, "harvesterChartVersion": TEXT,
    "monitoringChartVersion": TEXT, "loggingChartVersion": TEXT, "kubeovnChartVersion": TEXT,
}


class Unreadable(Exception):
    """Raised if the installer cannot read the document."""


def spellings(kind):
    """Returns a record's fields, keyed by every accepted spelling of their names."""
    found = {}
    for name in kind:
        endings = [name, *([name[:-1]] if name.endswith("s") else []), *([name[:-2]] if name.endswith("es") else [])]
        for spelling in endings:
            snake = re.sub(r"(?<!^)([A-Z])", r"_\1", spelling).lower()
            for one in (spelling.lower(), snake):
                found.setdefault(one, name)
    return {**found, **{name: name for name in kind}}


def field_of(kind, known, name):
    """Returns the field that a name in the document stands for, or None if the installer ignores the name. For a plain
    value, Go's JSON decoder ignores the case of the name."""
    plain = (field for field in kind if isinstance(kind[field], str) and field.lower() == name.lower())
    return known.get(name) or next(plain, None)


def typed(value, kind, path, in_kernel=False):
    """Converts a value as the installer does; raises Unreadable if the type is wrong."""
    if value is None or kind == ANY:
        return value
    if kind == TEXT:
        if isinstance(value, str):
            return value
    elif kind == FLAG:
        if isinstance(value, bool):
            return value
        if isinstance(value, str):
            return value.lower() == "true"
    elif kind == NUMBER:
        if in_kernel and isinstance(value, str) and value.isdigit():
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(kind, list):
        items = value if isinstance(value, list) else [value]
        return [typed(item, kind[0], f"{path}[{at}]", in_kernel) for at, item in enumerate(items)]
    elif isinstance(value, dict) and kind == TEXT_MAP:
        return {str(name): as_text(item) for name, item in value.items()}
    elif isinstance(value, dict) and "*" in kind:
        return {str(name): typed(item, kind["*"], f"{path}.{name}", in_kernel) for name, item in value.items()}
    elif isinstance(value, dict):
        known = spellings(kind)
        fields = {str(name): field_of(kind, known, str(name)) for name in value}
        found = {fields[str(name)]: item for name, item in value.items() if fields[str(name)]}
        return {name: typed(item, kind[name], f"{path}.{name}".lstrip("."), in_kernel) for name, item in found.items()}
    raise Unreadable(f"{path or 'the document'} is {type(value).__name__}, which is not what belongs there")


def as_text(value):
    """Formats a value of a string map as Go does."""
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def from_document(text):
    """Reads the configuration from a YAML document."""
    try:
        return typed(yaml.safe_load(text) or {}, CONFIG, "")
    except yaml.YAMLError as error:
        raise Unreadable(f"no YAML: {error}") from error


def from_kernel(cmdline):
    """Reads the configuration from the kernel arguments; an argument that occurs several times becomes a list."""
    tree = {}
    for word in cmdline.split():
        name, _, value = word.partition("=")
        if not name.startswith("harvester."):
            continue
        place = tree
        *parents, last = name.split(".")[1:]
        for parent in parents:
            place = place.setdefault(parent, {})
        value = value.strip('"') or "true"
        place[last] = [*(place[last] if isinstance(place[last], list) else [place[last]]), value] if last in place else value
    return typed(tree, CONFIG, "", in_kernel=True)


def merged(first, second):
    """Merges two configurations: the first has priority, and lists are concatenated."""
    both = dict(first)
    for name, value in second.items():
        if isinstance(value, dict) and isinstance(both.get(name), dict):
            both[name] = merged(both[name], value)
        elif isinstance(value, list) and isinstance(both.get(name), list):
            both[name] = both[name] + value
        elif not both.get(name):
            both[name] = value
    return both


def at(config, path, otherwise=""):
    """Returns the value at a dotted path, or a default."""
    for name in path.split("."):
        config = config.get(name) if isinstance(config, dict) else None
    return otherwise if config is None else config
