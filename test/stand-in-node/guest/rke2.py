"""The program rke2, of which the stand-in has `etcd-snapshot save` and `etcd-snapshot list` (k3s,
pkg/cli/etcdsnapshot/etcd_snapshot.go; rke2, pkg/cli/cmds/etcd_snapshot.go; RKE2 docs, "Backup and Restore")."""
import base64
import hashlib
import http.client
import json
import ssl
import sys
import time
from urllib.parse import urlsplit

#: The flags with their aliases, and the defaults.
FLAGS = {
    "name": ("on-demand", ["name"]),
    "dir": ("", ["dir", "etcd-snapshot-dir"]),
    "data": ("/var/lib/rancher/rke2", ["data-dir", "d"]),
    "server": ("https://127.0.0.1:9345", ["etcd-server", "s"]),
}


def say(level, message):
    """Writes a message as rke2 does: short on a terminal, otherwise in the format of the journal."""
    if sys.stderr.isatty():
        line = f"{level.upper()[:4]}[0000] {message}"
    else:
        line = f'time="{time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}" level={level} msg={json.dumps(message)}'
    print(line, file=sys.stderr, flush=True)


def fail(message):
    """Ends the program as rke2 does after an error."""
    say("fatal", message)
    sys.exit(1)


def parsed(words):
    """Returns (flags, other words)."""
    flags, others = {name: default for name, (default, _) in FLAGS.items()}, []
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            others.append(word)
            continue
        given, equals, value = word.lstrip("-").partition("=")
        known = next((name for name, (_, aliases) in FLAGS.items() if given in aliases), None)
        if known is None:
            fail(f"flag provided but not defined: -{given}")
        if not equals and not words:
            fail(f"flag needs an argument: -{given}")
        flags[known] = value if equals else words.pop(0)
    return flags, others


def login(flags):
    """Reads the server's token; returns (hash of the certificate authority, password)."""
    path = f"{flags['data']}/server/token"
    try:
        with open(path, encoding="utf-8") as file:
            digest, _, rest = file.read().strip().removeprefix("K10").partition("::")
    except OSError as error:
        fail(f"open {path}: {error.strerror.lower()}")
    return digest, rest.partition(":")[2]


def connect(server, authority=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if authority is None:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    else:
        context.load_verify_locations(cadata=authority)
    return http.client.HTTPSConnection(urlsplit(server).netloc, timeout=120, context=context)


def ask(flags, wish):
    """Sends a request to the supervisor, whose certificate authority must be the one in the token."""
    digest, password = login(flags)
    try:
        first = connect(flags["server"])
        first.request("GET", "/cacerts")
        authority = first.getresponse().read()
        if hashlib.sha256(authority).hexdigest() != digest:
            fail("token CA hash does not match the Cluster CA certificate hash")
        second = connect(flags["server"], authority.decode())
        credentials = base64.b64encode(f"server:{password}".encode()).decode()
        second.request("POST", "/db/snapshot", json.dumps(wish), {"Authorization": f"Basic {credentials}"})
        answer = second.getresponse()
        status, body = answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException) as error:
        fail(f"failed to get CA certs: Get \"{flags['server']}/cacerts\": {str(error).lower()}")
    if status != 200:
        fail(f"see server log for details: {body.strip()}")
    return json.loads(body)


def save(flags):
    """Prints a line for each snapshot that the server has saved; there may be none."""
    wish = {"operation": "save", "name": [flags["name"]], "retention": 0}
    for name in ask(flags, {**wish, **({"dir": flags["dir"]} if flags["dir"] else {})}).get("created", []):
        say("info", f"Snapshot {name} saved.")


def list_snapshots(flags):
    """Prints a table whose columns are as wide as their widest cell plus a space (Go, text/tabwriter)."""
    items = ask(flags, {"operation": "list", **({"dir": flags["dir"]} if flags["dir"] else {})})["items"]
    rows = [["Name", "Location", "Size", "Created"]]
    for item in items:
        spec, status = item["spec"], item["status"]
        rows.append([spec["snapshotName"], spec["location"], str(status["size"]), status["creationTime"]])
    widths = [max(map(len, column)) + 1 for column in zip(*rows)]
    for row in rows:
        print("".join(cell.ljust(width) for cell, width in zip(row[:-1], widths)) + row[-1])


def main(words):
    if words[:1] != ["etcd-snapshot"]:
        fail(f"the stand-in's rke2 has only etcd-snapshot, and no {' '.join(words[:1]) or 'default'}")
    flags, others = parsed(words[1:])
    command = others.pop(0) if others else "help"
    if command not in ("save", "ls", "list", "l"):
        fail(f"the stand-in's rke2 etcd-snapshot has only save and list, and no {command}")
    if others:
        fail("this command does not take any arguments")
    (save if command == "save" else list_snapshots)(flags)


if __name__ == "__main__":
    main(sys.argv[1:])
