"""Serves a stand-in node's ports with a new certificate authority, for tests outside a node: serve.py GUEST FOLDER"""
import os
import sys
import threading

sys.path.insert(0, sys.argv[1])

import cluster as state
from api import Server, Supervisor, bundle_of, serve
from certificates import authority, certificate

folder = sys.argv[2]
os.makedirs(folder)
state.STORE = f"{folder}/cluster.json"
for name in ("dynamic-ca", "kubernetes-ca"):
    authority(folder, name)
certificate(folder, "dynamic", "dynamic-ca", "/CN=harvester", ["IP:127.0.0.1"])
certificate(folder, "kubernetes", "kubernetes-ca", "/CN=kube-apiserver", ["IP:127.0.0.1"])
certificate(folder, "admin", "kubernetes-ca", "/O=system:masters/CN=system:admin", use="clientAuth")
cluster = state.Cluster()
cluster.settings["server-version"] = "v1.8.1"
cluster.hear({"name": "harvester-1", "role": "default", "address": "127.0.0.1", "secret": "x"}, joining=True)
with open(f"{folder}/pid", "w", encoding="ascii") as file:
    file.write(str(os.getpid()))
bundle = bundle_of(folder)
serve(folder, cluster, "token", bundle)
# A node itself would also write RKE2's files.
supervisor = Server(9345, Supervisor, f"{folder}/kubernetes", cluster, "token", bundle)
threading.Thread(target=supervisor.serve_forever, daemon=True).start()
threading.Event().wait()
