"""Certificate authorities and certificates, made by openssl: one authority for the API of Kubernetes, one for the port 443."""
import os
import subprocess
import time

DAY = 86400

# What `openssl ca` must be told of the list of certificates that it keeps, which nobody reads here.
CONFIG = """[req]
distinguished_name = any
[ca]
default_ca = issued
[issued]
database = {draft}/list
new_certs_dir = {draft}
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
organizationName = optional
[extensions]
{extensions}
"""


def authority(folder, name):
    """Makes a certificate authority, unless it is there."""
    if not os.path.exists(f"{folder}/{name}.crt"):
        make(folder, name, f"/CN={name}", ["basicConstraints=critical,CA:true", "keyUsage=critical,keyCertSign,cRLSign"])


def certificate(folder, name, issuer, subject, names=(), use="serverAuth"):
    """Makes a certificate for the names (`DNS:…`, `IP:…`), unless it is there."""
    if os.path.exists(f"{folder}/{name}.crt"):
        return
    extra = [f"extendedKeyUsage={use}", "keyUsage=digitalSignature", *([f"subjectAltName={','.join(names)}"] if names else [])]
    make(folder, name, subject, extra, ["-cert", f"{folder}/{issuer}.crt", "-keyfile", f"{folder}/{issuer}.key"])


def make(folder, name, subject, extensions, issuer=()):
    """
    Makes a key and a certificate beside each other; the certificate, made last, says that both are there. It holds from
    a day ago, as those of other installers do: a clock that is a little ahead of others would make one that does not hold
    yet. Only `openssl ca` can date one back.
    """
    draft = f"{folder}/draft"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.makedirs(draft, mode=0o700, exist_ok=True)
    write(f"{draft}/config", CONFIG.format(draft=draft, extensions="\n".join(extensions)))
    write(f"{draft}/list", "")
    key = f"{folder}/{name}.key"
    run("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", f"{draft}/config",
        "-subj", subject, "-keyout", key, "-out", f"{draft}/request")
    now = time.time()
    run("ca", "-config", f"{draft}/config", "-batch", "-notext", "-preserveDN", "-extensions", "extensions",
        "-startdate", date(now - DAY), "-enddate", date(now + 3650 * DAY),
        "-in", f"{draft}/request", "-out", f"{draft}/made", *(issuer or ["-selfsign", "-keyfile", key]))
    os.replace(f"{draft}/made", f"{folder}/{name}.crt")


def write(path, text):
    """Writes a file anew."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def run(*argv):
    """Runs a command of openssl."""
    subprocess.run(["openssl", *argv], check=True, capture_output=True)


def date(seconds):
    """A time as openssl takes it."""
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(seconds))
