"""The HTTPS servers of a node: port 443 for people and joining nodes, 6443 for cluster clients, 9345 for RKE2's
supervisor, 10250 for kubelet."""
import base64
import hashlib
import hmac
import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import etcd
from cluster import Refused, longhorn_node, node_object
from discovery import discovered
from machine import read
from rules import SETTINGS
from stored import LISTS, list_of, merged, summary
from upgrade import UPGRADES, VERSIONS, refusal, refused_version


def bearer(token):
    """Returns what a joining node sends instead of the token (rancherd, pkg/cacerts)."""
    return f"Bearer {base64.b64encode(hashlib.sha256(token.encode()).digest()).decode()}"


def proof(token, nonce, data):
    """Proves that the server also knows the token (rancherd, pkg/cacerts)."""
    digest = hmac.new(token.encode(), nonce.encode() + b"\0" + data + b"\0", hashlib.sha512).digest()
    return base64.b64encode(digest).decode()


class Handler(BaseHTTPRequestHandler):
    """Handles one connection. The TLS handshake happens here, so a slow client does not block the others."""

    protocol_version = "HTTP/1.1"
    timeout = 30

    def setup(self):
        self.request.settimeout(self.timeout)
        self.request.do_handshake()
        super().setup()

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="text/plain", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_json(self, status, value):
        self.answer(status, json.dumps(value).encode(), "application/json")

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")

    def has_token(self):
        return hmac.compare_digest(self.headers.get("Authorization", ""), bearer(self.server.token))


class Public(Handler):
    """The server on port 443."""

    def do_GET(self):
        if self.path == "/ping":
            return self.answer(200, b"pong")
        if self.path == "/v1-rancheros/cacerts":
            if not self.has_token():
                return self.answer(401, b"the token is not this cluster's\n")
            data = self.server.bundle["crts"]["dynamic-ca.crt"].encode()
            return self.answer(200, data, headers=[("X-Cattle-Hash", proof(self.server.token, self.headers.get("X-Cattle-Nonce", ""), data))])
        return self.answer(404, b"not found\n")

    do_HEAD = do_GET

    def do_POST(self):
        if self.path not in ("/v1-stand-in/join", "/v1-stand-in/alive"):
            return self.answer(404, b"not found\n")
        joining = self.path.endswith("/join")
        member = self.body()
        if not self.has_token():
            return self.answer(401, b"the token is not this cluster's\n")
        try:
            self.server.cluster.hear(member, joining)
        except Refused as refused:
            return self.answer(refused.status, f"{refused}\n".encode())
        return self.answer_json(200, {**({"bundle": self.server.bundle} if joining else {}), "cluster": self.server.cluster.state()})


class Kubernetes(Handler):
    """The server on port 6443: clients present a certificate issued by the cluster's authority; the TLS layer has
    already rejected all other clients."""

    SETTINGS = "/apis/harvesterhci.io/v1beta1/settings/"
    NODES = "/api/v1/nodes"
    LONGHORN_NODES = "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/nodes"

    def status(self, code, reason, name=None):
        details = {"message": f'"{name}" not found', "details": {"name": name}} if name else {}
        self.answer_json(code, {"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": reason, "code": code, **details})

    def refuse(self, code, reason, message):
        self.answer_json(code, {"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": reason, "code": code, "message": message})

    def setting(self, name):
        value = self.server.cluster.settings.get(name, "")
        return {"apiVersion": "harvesterhci.io/v1beta1", "kind": "Setting", "metadata": {"name": name}, "value": value}

    def answer_list(self, version, kind, items):
        """Answers with one page of a list: `limit` objects, beginning with number `continue`."""
        asked = parse_qs(urlsplit(self.path).query)
        first = int(asked.get("continue", ["0"])[0])
        last = first + int(asked["limit"][0]) if "limit" in asked else len(items)
        rest = len(items) - last
        more = {"continue": str(last), "remainingItemCount": rest} if rest > 0 else {}
        return self.answer_json(200, {"apiVersion": version, "kind": f"{kind}List", "metadata": {"resourceVersion": "1", **more}, "items": items[first:last]})

    def unknown(self):
        """Answers as the API does for a kind that it does not know."""
        return self.answer(404, b"404 page not found\n")

    def do_GET(self):
        path, cluster = self.path.split("?")[0], self.server.cluster
        name = path.split("/")[-1]
        if path in ("/readyz", "/livez", "/healthz"):
            return self.answer(200, b"ok")
        if discovered(path) is not None:
            return self.answer_json(200, discovered(path))
        if path in (self.NODES, self.LONGHORN_NODES):
            view, version = (node_object, "v1") if path == self.NODES else (longhorn_node, "longhorn.io/v1beta2")
            nodes = [view(cluster, one) for one in sorted(cluster.members.values(), key=lambda one: one["joined"])]
            return self.answer_list(version, "Node", nodes)
        if path.startswith(f"{self.NODES}/") and path.endswith("/proxy/stats/summary"):
            node = path.split("/")[4]
            return self.answer_json(200, summary(node)) if node in cluster.members else self.status(404, "NotFound", node)
        if path.startswith(f"{self.NODES}/"):
            if name in cluster.members:
                return self.answer_json(200, node_object(cluster, cluster.members[name]))
            return self.status(404, "NotFound", name)
        if path.rsplit("/", 1)[0] in (UPGRADES, VERSIONS):
            found = cluster.objects.get(path.rsplit("/", 1)[0], {}).get(name)
            return self.answer_json(200, found) if found else self.status(404, "NotFound", name)
        if path in LISTS:
            return self.answer_list(*LISTS[path], list(cluster.objects.get(path, {}).values()))
        if path.startswith(self.SETTINGS):
            return self.answer_json(200, self.setting(name)) if name in SETTINGS else self.status(404, "NotFound", name)
        return self.unknown()

    def do_POST(self):
        """Stores an object: a volume, a replica, a virtual machine, which the stand-in only stores, or an upgrade and its
        version, which Harvester's webhooks check first."""
        wish, cluster = self.body(), self.server.cluster
        path = list_of(self.path)
        if path is None:
            return self.unknown()
        version, kind = LISTS[path]
        name = wish["metadata"]["name"]
        if path in (UPGRADES, VERSIONS):
            if name in cluster.objects.get(path, {}):
                return self.refuse(409, "AlreadyExists", f'"{name}" already exists')
            refused = refusal(cluster, wish) if path == UPGRADES else None
            if path == VERSIONS and refused_version(wish):
                refused = (400, refused_version(wish))
            if refused:
                return self.refuse(refused[0], "BadRequest", f'admission webhook "validator.harvesterhci.io" denied the request: {refused[1]}')
            if "dryRun" in parse_qs(urlsplit(self.path).query):
                return self.answer_json(201, wish)
            wish["metadata"]["creationTimestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        cluster.put(path, name, {**wish, "apiVersion": version, "kind": kind})
        return self.answer_json(201, wish)

    def do_PATCH(self):
        path, cluster, wish = self.path.split("?")[0], self.server.cluster, self.body()
        name = path.split("/")[-1]
        is_trial = "dryRun" in parse_qs(urlsplit(self.path).query)
        if path.startswith(self.SETTINGS) and name in SETTINGS and isinstance(wish.get("value"), str):
            if not is_trial:
                cluster.set(name, wish["value"])
            return self.answer_json(200, {**self.setting(name), "value": wish["value"]})
        if path.startswith(f"{self.NODES}/") and name in cluster.members and "unschedulable" in wish.get("spec", {}):
            member = {**cluster.members[name], "unschedulable": bool(wish["spec"]["unschedulable"])}
            if not is_trial:
                with cluster.lock:
                    cluster.members[name]["unschedulable"] = member["unschedulable"]
                    cluster.save()
            return self.answer_json(200, node_object(cluster, member))
        above = path.rsplit("/", 1)[0]
        found = cluster.objects.get(above, {}).get(name) if above in (UPGRADES, VERSIONS) else None
        if found:
            if not is_trial:
                cluster.put(above, name, merged(found, wish))
            return self.answer_json(200, merged(found, wish))
        return self.status(404, "NotFound", name)

    def do_DELETE(self):
        path, cluster = self.path.split("?")[0], self.server.cluster
        above, name = path.rsplit("/", 1)
        stored = list_of(above)
        if cluster.put(stored, name, None) if stored else above == self.NODES and cluster.remove(name):
            return self.answer_json(200, {"apiVersion": "v1", "kind": "Status", "status": "Success"})
        return self.status(404, "NotFound", name)


class Supervisor(Handler):
    """The server on port 9345, which only server nodes have: anyone may request the CA certificate that signs the API's
    certificate; the node itself may also request etcd snapshots (rke2's supervisor; k3s, pkg/server/handlers/router.go)."""

    def do_GET(self):
        if self.path == "/cacerts":
            return self.answer(200, self.server.bundle["crts"]["kubernetes-ca.crt"].encode())
        return self.answer(401, b"Unauthorized\n")

    def do_POST(self):
        wish = self.body()
        if self.path != "/db/snapshot" or not etcd.is_server(self.headers.get("Authorization", ""), self.server.token):
            return self.answer(401, b"Unauthorized\n")
        status, said = etcd.answer(self.server.cluster, wish)
        return self.answer_json(status, said) if status == 200 else self.answer(status, said.encode())


class Kubelet(Handler):
    """The server on port 10250: it starts listening once the node is in a cluster, and answers every request with
    401."""

    def do_GET(self):
        self.answer(401, b"Unauthorized")


class Server(ThreadingHTTPServer):
    """An HTTPS server on all of the node's addresses."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port, handler, files, cluster, token, bundle, clients=None):
        super().__init__(("", port), handler)
        self.cluster, self.token, self.bundle = cluster, token, bundle
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(f"{files}.crt", f"{files}.key")
        if clients:
            self.context.load_verify_locations(clients)
            self.context.verify_mode = ssl.CERT_REQUIRED

    def get_request(self):
        connection, address = super().get_request()
        return self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, *_):
        """Ignores the error if a client disconnects or has no certificate: the server did nothing wrong."""


def serve(folder, cluster, token, bundle):
    """Starts the servers of every node and returns."""
    for server in (
        Server(443, Public, f"{folder}/dynamic", cluster, token, bundle),
        Server(10250, Kubelet, f"{folder}/kubernetes", cluster, token, bundle),
        Server(6443, Kubernetes, f"{folder}/kubernetes", cluster, token, bundle, f"{folder}/kubernetes-ca.crt"),
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()


def supervise(folder, cluster, token, bundle):
    """Makes the node a server of RKE2, with a supervisor."""
    etcd.enable(token, bundle["crts"]["kubernetes-ca.crt"])
    server = Server(9345, Supervisor, f"{folder}/kubernetes", cluster, token, bundle)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def bundle_of(folder):
    """Returns what a joining node receives: the certificate authorities and the administrator's certificate."""
    names = ("dynamic-ca", "kubernetes-ca", "admin")
    return {"crts": {f"{name}.{kind}": read(f"{folder}/{name}.{kind}") + "\n" for name in names for kind in ("crt", "key")}}
