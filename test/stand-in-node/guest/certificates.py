"""Creates certificate authorities and certificates with openssl: one authority for the Kubernetes API, one for
HTTPS."""
import os
import subprocess
import time

DAY = 86400

# `openssl ca` insists on keeping a list of issued certificates; nothing else reads that list.
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
    """Creates a certificate authority unless it already exists."""
    if not os.path.exists(f"{folder}/{name}.crt"):
        make(folder, name, f"/CN={name}", ["basicConstraints=critical,CA:true", "keyUsage=critical,keyCertSign,cRLSign"])


def certificate(folder, name, issuer, subject, names=(), use="serverAuth"):
    """Creates a certificate for the names (`DNS:…`, `IP:…`) unless it already exists."""
    if os.path.exists(f"{folder}/{name}.crt"):
        return
    extra = [f"extendedKeyUsage={use}", "keyUsage=digitalSignature", *([f"subjectAltName={','.join(names)}"] if names else [])]
    make(folder, name, subject, extra, ["-cert", f"{folder}/{issuer}.crt", "-keyfile", f"{folder}/{issuer}.key"])


def make(folder, name, subject, extensions, issuer=()):
    """
    Creates a key and a certificate in one folder. The certificate is written last, so if it exists, both exist. Its
    validity begins one day in the past, as other installers do it: machines whose clocks are a little behind would
    otherwise reject it. Only `openssl ca` can backdate a certificate.
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
    """Writes a file, replacing the old one."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def run(*argv):
    """Runs an openssl command."""
    subprocess.run(["openssl", *argv], check=True, capture_output=True)


def date(seconds):
    """Formats a time for openssl."""
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(seconds))
