"""The installed system's program: sets up users, SSH and the network, and makes the node part of its cluster."""
import json
import os
import re
import secrets
import subprocess
import threading
import time

from api import bundle_of, serve, supervise
from certificates import authority, certificate
from cluster import Cluster, Refused
from config import at
from join import PROBLEMS, NotJoined, tell
from machine import read
from network import card_of, configure, is_free, run, said, take, write
from upgrade import work

CERTIFICATES = "/oem/tls"
KUBECONFIG = "/etc/rancher/rke2/rke2.yaml"
#: The host names in rke2's API certificate; the addresses are added to them.
KUBERNETES = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "localhost"]


def users(config):
    """Sets up the user rancher as configured, and the SSH server."""
    password = at(config, "os.password") or "*"
    write("/etc/shadow", f"root:*:19000::::::\nrancher:{password}:19000::::::\nnobody:*:19000::::::\n", 0o600)
    keys = at(config, "os.sshAuthorizedKeys", [])
    write("/home/rancher/.ssh/authorized_keys", "".join(f"{key}\n" for key in keys), 0o600)
    run("chown", "-R", "1000:1000", "/home/rancher")
    run("chmod", "0700", "/home/rancher", "/home/rancher/.ssh")
    host_key = "/oem/ssh/host_ed25519"
    if not os.path.exists(host_key):
        os.makedirs("/oem/ssh", mode=0o700, exist_ok=True)
        run("dropbearkey", "-t", "ed25519", "-f", f"{host_key}.new")
        os.replace(f"{host_key}.new", host_key)
    without = ["-s"] if at(config, "os.sshd.disablePasswordAuth", False) else []
    run("dropbear", "-w", "-r", host_key, "-p", "22", *without)


def adjust(config):
    """Applies the configured host name, files and kernel settings."""
    name = at(config, "os.hostname")
    run("hostname", name)
    write("/etc/hostname", f"{name}\n")
    write("/etc/hosts", f"127.0.0.1 localhost\n127.0.1.1 {name}\n")
    for file in at(config, "os.writeFiles", []):
        if at(file, "encoding") == "":
            write(file["path"], at(file, "content"), int(at(file, "permissions") or "0644", 8))
    for key, value in at(config, "os.sysctls", {}).items():
        subprocess.run(["sysctl", "-q", "-w", f"{key}={value}"], check=False)


def prepare(config, address):
    """Creates the certificates and the kubeconfig. On a node that joined a cluster, the certificate authorities already
    exist."""
    name, vip = at(config, "os.hostname"), at(config, "install.vip") or at(config, "serverUrl").split("/")[-1].split(":")[0]
    sans = [f"{'IP' if san.replace('.', '').isdigit() else 'DNS'}:{san}" for san in at(config, "sans", [])]
    addresses = [f"IP:{one}" for one in dict.fromkeys(["127.0.0.1", "10.53.0.1", address, vip])]
    authority(CERTIFICATES, "dynamic-ca")
    authority(CERTIFICATES, "kubernetes-ca")
    certificate(CERTIFICATES, "dynamic", "dynamic-ca", "/CN=harvester", [f"DNS:{name}", *addresses])
    certificate(CERTIFICATES, "kubernetes", "kubernetes-ca", "/CN=kube-apiserver",
                [*(f"DNS:{one}" for one in [*KUBERNETES, name]), *addresses, *sans])
    certificate(CERTIFICATES, "admin", "kubernetes-ca", "/O=system:masters/CN=system:admin", use="clientAuth")
    write(KUBECONFIG, kubeconfig(), 0o600)


def kubeconfig():
    """Returns the administrator's kubeconfig as rke2 writes it: for use on the node itself, with embedded
    certificates."""
    def inline(name):
        return run("base64", "-w0", f"{CERTIFICATES}/{name}")
    return f"""apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: {inline("kubernetes-ca.crt")}
    server: https://127.0.0.1:6443
  name: default
contexts:
- context:
    cluster: default
    user: default
  name: default
current-context: default
kind: Config
preferences: {{}}
users:
- name: default
  user:
    client-certificate-data: {inline("admin.crt")}
    client-key-data: {inline("admin.key")}
"""


def unpack(bundle):
    """Stores the certificate authorities that the cluster sent."""
    for name, text in sorted(bundle["crts"].items(), reverse=True):
        write(f"{CERTIFICATES}/{name}", text, 0o600)


def identity(config, address):
    """Returns the data with which this node introduces itself to the cluster."""
    if not os.path.exists("/oem/node-secret"):
        write("/oem/node-secret", secrets.token_hex(16), 0o600)
    return {
        "name": at(config, "os.hostname"),
        "role": at(config, "install.role") or "default",
        "address": address,
        "labels": at(config, "os.labels", {}),
        "secret": read("/oem/node-secret"),
    }


def join(config, member):
    """Asks the cluster until it accepts this node, as rancherd does."""
    server, before = at(config, "serverUrl"), ""
    while True:
        try:
            return tell(server, "/v1-stand-in/join", at(config, "token"), dict(member))
        except (NotJoined, *PROBLEMS) as problem:
            if str(problem) != before:
                said(f"{member['name']} cannot join {server}: {problem}")
            before = str(problem)
            time.sleep(3)


def version(config):
    """Returns the version of the release from which the node was installed, which is part of the ISO image's name."""
    found = re.search(r"harvester-(v.+)-amd64\.iso$", at(config, "install.isoUrl"))
    return found.group(1) if found else ""


def keep(config, cluster, member, address, length):
    """Runs once the node is a member: holds the virtual address, or reports to the node that holds it and takes over
    the address when that node stops answering."""
    vip = at(config, "install.vip") or at(config, "serverUrl").split("/")[-1].split(":")[0]
    card, token, missed = card_of(config), at(config, "token"), 0
    rank = sorted(cluster.members).index(member["name"])
    # The node that created the cluster holds the address first; after a power failure, another node may have taken it.
    holds = at(config, "install.mode") == "create" and is_free(vip, card)
    serves = False
    while True:
        if not serves and cluster.members.get(member["name"], {}).get("etcd"):
            supervise(CERTIFICATES, cluster, token, bundle_of(CERTIFICATES))
            serves = True
        if holds:
            take(vip, length, card)
            said(f"{member['name']} has the address {vip}")
            hold(cluster, member)
            holds = False
        try:
            told = tell(f"https://{vip}", "/v1-stand-in/alive", token, dict(member), read(f"{CERTIFICATES}/dynamic-ca.crt"))
            cluster.adopt(told["cluster"])
            missed = 0
        except (NotJoined, *PROBLEMS) as problem:
            missed += 1
            if missed == 3:
                said(f"{member['name']} does not reach {vip}: {problem}")
            may_hold = cluster.members.get(member["name"], {}).get("etcd") and member["role"] != "witness"
            holds = bool(may_hold and missed > 3 + 2 * rank and is_free(vip, card))
        time.sleep(5)


def hold(cluster, member):
    """Reports this node as alive to its own cluster state, and upgrades the cluster, until it is removed from it."""
    cluster.holds = True
    threading.Thread(target=work, args=(cluster,), daemon=True).start()
    while True:
        try:
            cluster.hear(dict(member), joining=False)
        except Refused as refused:
            said(str(refused))
            cluster.holds = False
            return
        time.sleep(5)


def main():
    """Starts the node from its disk until it answers requests."""
    os.makedirs("/oem", exist_ok=True)
    # A file that the node has written is still there after a power loss.
    run("mount", "-t", "ext4", "-o", "sync,dirsync", run("findfs", "LABEL=COS_OEM").strip(), "/oem")
    # Harvester keeps RKE2's data across boots.
    for folder in ("/oem/rancher", "/var/lib/rancher"):
        os.makedirs(folder, exist_ok=True)
    run("mount", "--bind", "/oem/rancher", "/var/lib/rancher")
    config = json.loads(read("/oem/harvester.config"))
    adjust(config)
    address, length = configure(config)
    users(config)
    member, name = identity(config, address), at(config, "os.hostname")
    if at(config, "install.mode") == "join" and not os.path.exists("/oem/cluster.json"):
        told = join(config, member)
        unpack(told["bundle"])
        prepare(config, address)
        cluster = Cluster()
        cluster.adopt(told["cluster"])
        said(f"{name} has joined the cluster")
    else:
        prepare(config, address)
        cluster = Cluster()
        if name not in cluster.members:
            cluster.settings["server-version"] = version(config)
            cluster.hear(dict(member), joining=True)
    serve(CERTIFICATES, cluster, at(config, "token"), bundle_of(CERTIFICATES))
    said(f"{name} is ready at {address}")
    keep(config, cluster, member, address, length)
