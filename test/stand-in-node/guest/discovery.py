"""The documents from which clients such as kubectl learn which objects an API server has."""

#: The kinds that the API serves: (group and version, kind, plural and short name, whether in a namespace, verbs).
KINDS = (
    ("v1", "Node", "nodes no", False, ("delete", "get", "list", "patch")),
    ("harvesterhci.io/v1beta1", "Setting", "settings", False, ("get", "patch")),
    ("harvesterhci.io/v1beta1", "Upgrade", "upgrades", True, ("create", "delete", "get", "list", "patch")),
    ("harvesterhci.io/v1beta1", "Version", "versions", True, ("create", "delete", "get", "list", "patch")),
    ("v1", "PersistentVolume", "persistentvolumes pv", False, ("create", "delete", "list")),
    ("kubevirt.io/v1", "VirtualMachine", "virtualmachines vm", True, ("create", "delete", "list")),
    ("kubevirt.io/v1", "VirtualMachineInstance", "virtualmachineinstances vmi", True, ("create", "delete", "list")),
    ("network.harvesterhci.io/v1beta1", "VlanConfig", "vlanconfigs vc", False, ("create", "delete", "list")),
    ("network.harvesterhci.io/v1beta1", "VlanStatus", "vlanstatuses vs", False, ("create", "delete", "list")),
    ("network.harvesterhci.io/v1beta1", "LinkMonitor", "linkmonitors lm", False, ("create", "delete", "list")),
    ("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", "network-attachment-definitions net-attach-def", True,
     ("create", "delete", "list")),
    ("harvesterhci.io/v1beta1", "VirtualMachineImage", "virtualmachineimages vmimage", True, ("create", "delete", "list")),
    ("longhorn.io/v1beta2", "BackingImage", "backingimages lhbi", True, ("create", "delete", "list")),
    ("longhorn.io/v1beta2", "Node", "nodes lhn", True, ("list",)),
    ("longhorn.io/v1beta2", "Replica", "replicas lhr", True, ("create", "delete", "list")),
    ("longhorn.io/v1beta2", "Volume", "volumes lhv", True, ("create", "delete", "list")),
)


def resources(version):
    """Returns the list of a version's kinds."""
    found = [
        {"name": names.split()[0], "shortNames": names.split()[1:], "singularName": kind.lower(), "namespaced": namespaced,
         "kind": kind, "verbs": list(verbs)}
        for own, kind, names, namespaced, verbs in KINDS if own == version
    ]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": found} if found else None


def group(version):
    """Returns the description of a group, which has one version."""
    one = {"groupVersion": version, "version": version.split("/")[1]}
    return {"name": version.split("/")[0], "versions": [one], "preferredVersion": one}


def discovered(path):
    """Returns the document at a path, or None if there is none."""
    path = path.rstrip("/")
    groups = [group(version) for version, *_ in KINDS if "/" in version]
    if path == "/version":
        return {"major": "1", "minor": "35", "gitVersion": "v1.35.0+rke2r1", "platform": "linux/amd64"}
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
    if path == "/apis":
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
    if path.startswith("/apis/") and path.count("/") == 2:
        return next(({"kind": "APIGroup", "apiVersion": "v1", **one} for one in groups if one["name"] == path[6:]), None)
    if path == "/api/v1" or (path.startswith("/apis/") and path.count("/") == 3):
        return resources(path.removeprefix("/apis/").removeprefix("/api/"))
    return None
