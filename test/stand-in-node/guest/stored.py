"""The objects that the API stores and lists, and a kubelet's statistics."""
import re

from upgrade import UPGRADES, VERSIONS

#: The lists of objects that the stand-in stores, with their versions and kinds. They are empty at first.
LISTS = {
    "/apis/kubevirt.io/v1/virtualmachineinstances": ("kubevirt.io/v1", "VirtualMachineInstance"),
    "/apis/kubevirt.io/v1/virtualmachines": ("kubevirt.io/v1", "VirtualMachine"),
    "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/volumes": ("longhorn.io/v1beta2", "Volume"),
    "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/replicas": ("longhorn.io/v1beta2", "Replica"),
    "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/backingimages": ("longhorn.io/v1beta2", "BackingImage"),
    "/apis/harvesterhci.io/v1beta1/virtualmachineimages": ("harvesterhci.io/v1beta1", "VirtualMachineImage"),
    "/api/v1/persistentvolumes": ("v1", "PersistentVolume"),
    "/apis/network.harvesterhci.io/v1beta1/vlanconfigs": ("network.harvesterhci.io/v1beta1", "VlanConfig"),
    "/apis/network.harvesterhci.io/v1beta1/vlanstatuses": ("network.harvesterhci.io/v1beta1", "VlanStatus"),
    "/apis/network.harvesterhci.io/v1beta1/linkmonitors": ("network.harvesterhci.io/v1beta1", "LinkMonitor"),
    "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions": ("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition"),
    UPGRADES: ("harvesterhci.io/v1beta1", "Upgrade"),
    VERSIONS: ("harvesterhci.io/v1beta1", "Version"),
}


def merged(object, patch):
    """Applies a merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    kept = {key: value for key, value in (object if isinstance(object, dict) else {}).items() if patch.get(key, value) is not None}
    return {**kept, **{key: merged(kept.get(key), value) for key, value in patch.items() if value is not None}}


def summary(node):
    """Returns the statistics of a node's kubelet. The disk is that of a Harvester node, not the stand-in's own."""
    gib = 2 ** 30
    return {"node": {"nodeName": node, "fs": {"capacityBytes": 200 * gib, "usedBytes": 60 * gib, "availableBytes": 140 * gib}}, "pods": []}


def list_of(path):
    """Returns the list that shows the objects at a path, which may name their namespace; None if there is no such list."""
    path = path.split("?")[0]
    everywhere = re.sub(r"/namespaces/[^/]+(?=/[^/]+$)", "", path)
    return next((one for one in (path, everywhere) if one in LISTS), None)
