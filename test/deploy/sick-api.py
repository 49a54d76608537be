"""Runs on a stand-in node: the cluster's API at port 6444, with a fault. `sick-api.py 401|503|early`"""
import os
import shutil
import sys
import time
import types

sys.path.insert(0, "/usr/lib/stand-in")

import certificates
from api import Kubernetes, Server
from cluster import Cluster

FAULT, OWN, FOLDER = sys.argv[1], "/oem/tls", "/tmp/sick-tls"


class Sick(Kubernetes):
    """Refuses every client, or fails some of a guard's queries."""

    def do_GET(self):
        if FAULT == "401":
            return self.refuse(401, "Unauthorized", "Unauthorized")
        if FAULT == "503" and any(word in self.path for word in ("longhorn", "upgrades")):
            return self.refuse(503, "ServiceUnavailable", "etcdserver: request timed out")
        return super().do_GET()


def early():
    """Issues a certificate like a node whose clock is a year ahead. Returns its path without the suffix."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for kind in ("crt", "key"):
        shutil.copy(f"{OWN}/kubernetes-ca.{kind}", FOLDER)
    ahead = time.time() + 400 * certificates.DAY
    certificates.time = types.SimpleNamespace(time=lambda: ahead, strftime=time.strftime, gmtime=time.gmtime)
    certificates.certificate(FOLDER, "kubernetes", "kubernetes-ca", "/CN=kube-apiserver", ["DNS:kubernetes"])
    return f"{FOLDER}/kubernetes"


files = early() if FAULT == "early" else f"{OWN}/kubernetes"
server = Server(6444, Sick, files, Cluster(), "", {}, f"{OWN}/kubernetes-ca.crt")
print("ready", flush=True)
server.serve_forever()
