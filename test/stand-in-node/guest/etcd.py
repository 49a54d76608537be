"""RKE2's snapshots of etcd, as the supervisor of a server node takes and lists them (k3s, pkg/etcd/snapshot.go and
pkg/etcd/snapshot_handler.go; RKE2 docs, "Backup and Restore"). A snapshot contains the cluster's state."""
import base64
import hashlib
import hmac
import json
import os
import re
import threading
import time

from network import write

#: RKE2's data directory on a server node.
DATA = "/var/lib/rancher/rke2/server"
#: The messages of the unit rke2-server, which a real node keeps in its journal.
LOG = "/var/log/rke2-server.log"

saving = threading.Lock()


def enable(token, authority):
    """Makes this node a server: writes the token with which `rke2` talks to its supervisor. The token names the
    cluster's certificate authority by its hash (RKE2 docs, "Token Management")."""
    digest = hashlib.sha256(authority.encode()).hexdigest()
    write(f"{DATA}/token", f"K10{digest}::server:{token}\n", 0o600)


def is_server(authorization, token):
    """True for the login of `rke2` on a server: the user server, with the cluster's token as the password."""
    given = f"Basic {base64.b64encode(f'server:{token}'.encode()).decode()}"
    return hmac.compare_digest(authorization, given)


def answer(cluster, wish):
    """Answers a request of `rke2 etcd-snapshot`; returns (status, object or message)."""
    folder = wish.get("dir") or f"{DATA}/db/snapshots"
    if wish.get("operation") == "list":
        return 200, {"kind": "List", "items": listed(folder)}
    if wish.get("operation") != "save":
        return 400, "invalid snapshot operation"
    # Since June 2024, k3s refuses this; before that, parallel snapshots damaged each other (k3s-io/k3s#10371).
    if not saving.acquire(blocking=False):
        return 500, "snapshot save already in progress"
    try:
        return save(cluster, folder, wish["name"][0])
    finally:
        saving.release()


def save(cluster, folder, base):
    """Saves a snapshot. If it cannot be written, the request still succeeds but names no snapshot; only the server's log
    contains the reason."""
    if folder == f"{DATA}/db/snapshots":
        os.makedirs(folder, mode=0o700, exist_ok=True)
    elif not os.path.isdir(folder):
        return 500, f"failed to get etcd-snapshot-dir: stat {folder}: no such file or directory"
    name = f"{base}-{os.uname().nodename}-{round(time.time())}"
    path = f"{folder}/{name}"
    log("info", f"Saving etcd snapshot to {path}")
    try:
        with cluster.lock, open(os.open(f"{path}.part", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(json.dumps(cluster.state()))
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.part", path)
    except OSError as error:
        try:
            os.remove(f"{path}.part")
        except OSError:
            pass
        log("error", f"Failed to take etcd snapshot: write {path}.part: {error.strerror.lower()}")
        return 200, {}
    return 200, {"created": [name]}


def listed(folder):
    """Returns the files in the folder, whatever their names, as k3s's ETCDSnapshotFile objects, the oldest first."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    def item(name):
        about = os.stat(f"{folder}/{name}")
        seconds = re.search(r"-(\d+)(\.zip)?$", name)
        created = time.gmtime(int(seconds[1]) if seconds else about.st_mtime)
        return {
            "spec": {"snapshotName": name, "location": f"file://{folder}/{name}", "nodeName": os.uname().nodename},
            "status": {"size": about.st_size, "creationTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", created)},
        }
    return sorted(map(item, names), key=lambda one: (one["status"]["creationTime"], one["spec"]["snapshotName"]))


def log(level, message):
    """Adds a message to the log of rke2-server, in the format of its journal."""
    os.makedirs(os.path.dirname(LOG), exist_ok=True)
    with open(LOG, "a", encoding="utf-8") as file:
        file.write(f'time="{time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}" level={level} msg={json.dumps(message)}\n')
