"""Harvester's upgrades (harvester/harvester, pkg/webhook/resources/upgrade and pkg/controller/master/upgrade): which
upgrades are refused, and how an Upgrade object changes while one runs. The ISO image is fetched and checked; nothing is
installed from it, and no node restarts."""
import copy
import hashlib
import re
import time
import urllib.request

NAMESPACE = "/apis/harvesterhci.io/v1beta1/namespaces/harvester-system"
UPGRADES, VERSIONS = f"{NAMESPACE}/upgrades", f"{NAMESPACE}/versions"
VOLUMES = "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/volumes"
STATE, LATEST = "harvesterhci.io/upgradeState", "harvesterhci.io/latestUpgrade"
#: The states of each node, in order (job_controller.go).
NODE_STATES = ("Pre-draining", "Pre-drained", "Post-draining", "Succeeded")


def refusal(cluster, wish):
    """Returns (HTTP status, message) if the admission webhook refuses a new upgrade, or None."""
    upgrades, volumes = stored(cluster, UPGRADES), stored(cluster, VOLUMES)
    version, nodes = wish["spec"].get("version", ""), sorted(cluster.members)
    if version not in [one["metadata"]["name"] for one in stored(cluster, VERSIONS)]:
        return 400, f"version {version} is not found"
    for one in upgrades:
        if label(one) not in ("Succeeded", "Failed"):
            return 409, f'cannot proceed until previous upgrade "{one["metadata"]["name"]}" completes'
    if len(nodes) >= 3 and any(one["status"]["robustness"] == "degraded" for one in volumes):
        return 400, "there are degraded volumes, please check all volumes are healthy"
    for name in nodes:
        if not cluster.is_ready(name):
            return 400, f"node {name} is not ready, please wait for it to be ready"
        if cluster.members[name].get("unschedulable"):
            return 400, f"node {name} is unschedulable, please wait for it to be schedulable"
    if len(nodes) > 1 and any(one["spec"].get("numberOfReplicas") == 1 for one in volumes):
        return 422, "Following PVCs with single-replica volume, even the volume is detached, upgrade may have potential data integrity concerns"
    return None


def refused_version(wish):
    """Returns the message with which the webhook refuses a version, or None."""
    checksum = wish.get("spec", {}).get("isoChecksum", "")
    return None if checksum == "" or re.fullmatch("[a-f0-9]{128}", checksum) else f"invalid isoChecksum {checksum}"


def stored(cluster, path):
    return list(cluster.objects.get(path, {}).values())


def label(upgrade):
    return upgrade["metadata"].get("labels", {}).get(STATE, "")


def condition(upgrade, kind):
    """Returns the status of a condition, or an empty string."""
    return next((one["status"] for one in upgrade["status"]["conditions"] if one["type"] == kind), "")


def set_condition(upgrade, kind, status, reason="", message=""):
    kept = [one for one in upgrade["status"]["conditions"] if one["type"] != kind]
    upgrade["status"]["conditions"] = [*kept, {"type": kind, "status": status, "reason": reason, "message": message}]


def complete(upgrade):
    """Ends an upgrade if its conditions say so (common.go, markComplete)."""
    kinds = ("ImageReady", "RepoReady", "SystemServicesUpgraded", "NodesUpgraded")
    if any(condition(upgrade, kind) == "False" for kind in kinds):
        set_condition(upgrade, "Completed", "False")
        upgrade["metadata"]["labels"][STATE] = "Failed"
    elif all(condition(upgrade, kind) == "True" for kind in kinds[2:]):
        set_condition(upgrade, "Completed", "True")
        upgrade["metadata"]["labels"][STATE] = "Succeeded"


def image_problem(version):
    """Fetches the ISO image as the cluster does, and returns what is wrong with it, or an empty string."""
    digest, wanted = hashlib.sha512(), version["spec"].get("isoChecksum", "")
    try:
        with urllib.request.urlopen(version["spec"]["isoURL"], timeout=30) as answer:
            while part := answer.read(1 << 16):
                digest.update(part)
    except (OSError, ValueError) as error:
        return f"cannot fetch {version['spec']['isoURL']}: {error}"
    return "" if wanted in ("", digest.hexdigest()) else "the checksum of the image is wrong"


def advance(cluster, upgrade):
    """Takes an upgrade one step further. Returns True if something has changed."""
    meta, status, wanted = upgrade["metadata"], upgrade.setdefault("status", {}), upgrade["spec"]["version"]
    labels, nodes = meta.setdefault("labels", {}), sorted(cluster.members)
    status.setdefault("conditions", [])
    status.setdefault("nodeStatuses", {})
    if label(upgrade) in ("Succeeded", "Failed"):
        return False
    failed = next(((name, one) for name, one in status["nodeStatuses"].items() if one["state"] == "Failed"), None)
    if not condition(upgrade, "Completed"):
        set_condition(upgrade, "Completed", "Unknown")
        status["previousVersion"] = cluster.settings.get("server-version", "")
        labels.update({STATE: "LoggingInfraPrepared", LATEST: "true"})
        set_condition(upgrade, "LogReady", "False", "Disabled", "Upgrade observability is administratively disabled")
    elif not condition(upgrade, "ImageReady"):
        version = cluster.objects[VERSIONS].get(wanted)
        problem = image_problem(version) if version else f'versions.harvesterhci.io "{wanted}" not found'
        set_condition(upgrade, "ImageReady", "False" if problem else "True", "ImportFailed" if problem else "", problem)
        labels[STATE] = "PreparingRepo"
    elif not condition(upgrade, "RepoReady"):
        set_condition(upgrade, "RepoReady", "True")
        labels[STATE] = "PreparingNodes"
        status["nodeStatuses"] = {name: {"state": "Images preloading"} for name in nodes}
    elif not condition(upgrade, "NodesPrepared"):
        set_condition(upgrade, "NodesPrepared", "True")
        status["nodeStatuses"] = {name: {"state": "Images preloaded"} for name in nodes}
        labels[STATE] = "UpgradingSystemServices"
    elif not condition(upgrade, "SystemServicesUpgraded"):
        set_condition(upgrade, "SystemServicesUpgraded", "True")
        cluster.settings["server-version"] = wanted
        labels[STATE] = "UpgradingNodes"
        set_condition(upgrade, "NodesUpgraded", "Unknown")
    elif failed:
        set_condition(upgrade, "NodesUpgraded", "False", failed[1].get("reason", ""), failed[1].get("message", ""))
    else:
        advance_node(upgrade, nodes)
    complete(upgrade)
    return True


def advance_node(upgrade, nodes):
    """Upgrades the nodes one after the other."""
    states = upgrade["status"]["nodeStatuses"]
    name = next((one for one in nodes if states.get(one, {}).get("state") != "Succeeded"), None)
    if name is None:
        set_condition(upgrade, "NodesUpgraded", "True")
        return
    now = states.get(name, {}).get("state", "")
    states[name] = {"state": NODE_STATES[NODE_STATES.index(now) + 1 if now in NODE_STATES else 0]}


def work(cluster, pause=1.0):
    """Advances the cluster's upgrades for as long as this node holds the virtual address."""
    while cluster.holds:
        for name, before in list(cluster.objects.get(UPGRADES, {}).items()):
            # Fetching the image takes a while, so the cluster is not locked meanwhile. Whoever was faster wins.
            upgrade = copy.deepcopy(before)
            if advance(cluster, upgrade):
                cluster.replace(UPGRADES, name, before, upgrade)
        time.sleep(pause)
