"""What the nodes of a cluster know about each other; in real Harvester, etcd and the API server store this."""
import json
import threading
import time
from hashlib import sha256

from machine import read
from network import write

STORE = "/oem/cluster.json"
#: After this many seconds without a message, a node is not ready (Kubernetes, --node-monitor-grace-period).
SILENCE = 40


class Refused(Exception):
    """Raised if a node is not accepted; contains the HTTP status."""

    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


class Cluster:
    """The cluster's members and settings, stored on the node's disk."""

    def __init__(self):
        self.lock = threading.Lock()
        stored = json.loads(read(STORE) or "{}")
        self.members = stored.get("members", {})
        self.settings = stored.get("settings", {})
        #: Objects that the stand-in only stores: by the path of their list, then by path and name.
        self.objects = stored.get("objects", {})
        self.seen = {name: time.monotonic() for name in self.members}
        #: True while this node has the virtual address, and so decides for the cluster.
        self.holds = False

    def state(self):
        return {"members": self.members, "settings": self.settings, "objects": self.objects}

    def save(self):
        write(STORE, json.dumps(self.state()), 0o600)

    def adopt(self, state):
        """Replaces this node's state with the state of the node that holds the virtual address."""
        with self.lock:
            if state == self.state():
                return
            self.members, self.settings, self.objects = state["members"], state["settings"], state.get("objects", {})
            self.seen = {name: self.seen.get(name, time.monotonic()) for name in self.members}
            self.save()

    def hear(self, member, joining):
        """Records that a node joins or reports that it is alive.

        Raises Refused if another node has its name (rke2 refuses it by its node password), or if it was removed.
        """
        with self.lock:
            name = member["name"]
            secret = sha256(member.pop("secret").encode()).hexdigest()
            known = self.members.get(name)
            if known is None and not joining:
                raise Refused(404, f"{name} is not a member of this cluster")
            if known is not None and known["secret"] != secret:
                raise Refused(409, f"another node has the name {name}")
            self.seen[name] = time.monotonic()
            now = {**(known or {"joined": time.time()}), **member, "secret": secret}
            if now != known:
                self.members[name] = now
                self.promote()
                self.save()

    def promote(self):
        """Promotes the oldest members to the control plane, as Harvester does once there are three nodes."""
        order = sorted(self.members.values(), key=lambda one: one["joined"])
        etcd = [one for one in order if one.get("etcd")]
        if order and not etcd:
            order[0]["etcd"] = True
            etcd = [order[0]]
        if len(order) < 3:
            return
        fit = [one for one in order if not one.get("etcd") and one["role"] != "worker"]
        # A witness is promoted first: it has no other purpose.
        for one in sorted(fit, key=lambda one: one["role"] != "witness")[: 3 - len(etcd)]:
            one["etcd"] = True

    def remove(self, name):
        """Removes a node; returns False if no node has this name."""
        with self.lock:
            if self.members.pop(name, None) is None:
                return False
            self.save()
            return True

    def put(self, path, key, value):
        """Stores an object below the path of its list; None removes it. Returns False if there was nothing to remove."""
        with self.lock:
            objects = self.objects.setdefault(path, {})
            if value is None and key not in objects:
                return False
            if value is None:
                del objects[key]
            else:
                objects[key] = value
            self.save()
            return True

    def replace(self, path, key, before, value):
        """Replaces an object, unless it is no longer the one that the caller has seen."""
        with self.lock:
            if self.objects.get(path, {}).get(key) == before:
                self.objects[path][key] = value
                self.save()

    def is_ready(self, name):
        return time.monotonic() - self.seen.get(name, 0) < SILENCE

    def set(self, name, value):
        with self.lock:
            self.settings[name] = value
            self.save()


def etcd_state(ready):
    """Returns what RKE2's leader of etcd reports about a member (setEtcdStatusCondition in pkg/etcd/etcd.go)."""
    if ready:
        return {"status": "True", "reason": "MemberNotLearner", "message": "Node is a voting member of the etcd cluster"}
    return {"status": "False", "reason": "Unhealthy", "message": "failed to check etcd member status"}


def node_object(cluster, member):
    """Converts a member to a Kubernetes node object with the fields that matter here."""
    name, role = member["name"], member["role"]
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **member.get("labels", {})}
    if role in ("management", "worker", "witness"):
        labels[f"node-role.harvesterhci.io/{role}"] = "true"
    if member.get("etcd"):
        labels["node-role.kubernetes.io/etcd"] = "true"
        if role != "witness":
            labels["node-role.kubernetes.io/control-plane"] = "true"
    ready = cluster.is_ready(name)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    conditions = [{"type": "Ready", "status": "True" if ready else "Unknown", "lastHeartbeatTime": now,
                   "reason": "KubeletReady" if ready else "NodeStatusUnknown"}]
    if member.get("etcd"):
        conditions.append({"type": "EtcdIsVoter", "lastHeartbeatTime": now, **etcd_state(ready)})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels,
            "creationTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(member["joined"])),
        },
        "spec": {"unschedulable": True} if member.get("unschedulable") else {},
        "status": {
            "addresses": [{"type": "InternalIP", "address": member["address"]}, {"type": "Hostname", "address": name}],
            "conditions": conditions,
        },
    }


def longhorn_node(cluster, member):
    """Converts a member to Longhorn's view of the node, with one disk of 200 GiB."""
    gib = 2 ** 30
    ready = [{"type": "Ready", "status": "True" if cluster.is_ready(member["name"]) else "False"}]
    disk = {"path": "/var/lib/harvester/defaultdisk", "allowScheduling": True, "evictionRequested": False,
            "storageReserved": 30 * gib, "tags": []}
    seen = {"conditions": ready, "diskUUID": f"disk-of-{member['name']}", "storageMaximum": 200 * gib,
            "storageAvailable": 140 * gib, "storageScheduled": 0}
    return {
        "apiVersion": "longhorn.io/v1beta2",
        "kind": "Node",
        "metadata": {"name": member["name"], "namespace": "longhorn-system"},
        "spec": {"allowScheduling": True, "evictionRequested": False, "tags": [], "disks": {"default-disk": disk}},
        "status": {"conditions": ready, "diskStatus": {"default-disk": seen}},
    }
