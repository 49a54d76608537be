"""Certificate authorities and certificates, made by openssl: one authority for the Kubernetes API, one for port 443."""
import os
import subprocess
import time

DAY = 86400

# Configures the list of issued certificates that `openssl ca` insists on; nothing reads the list.
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
    """Makes a certificate authority, unless it exists."""
    if not os.path.exists(f"{folder}/{name}.crt"):
        make(folder, name, f"/CN={name}", ["basicConstraints=critical,CA:true", "keyUsage=critical,keyCertSign,cRLSign"])


def certificate(folder, name, issuer, subject, names=(), use="serverAuth"):
    """Makes a certificate for the names (`DNS:…`, `IP:…`), unless it exists."""
    if os.path.exists(f"{folder}/{name}.crt"):
        return
    extra = [f"extendedKeyUsage={use}", "keyUsage=digitalSignature", *([f"subjectAltName={','.join(names)}"] if names else [])]
    make(folder, name, subject, extra, ["-cert", f"{folder}/{issuer}.crt", "-keyfile", f"{folder}/{issuer}.key"])


def make(folder, name, subject, extensions, issuer=()):
    """
    Makes a key and a certificate in one folder. The certificate is made last, so its presence means that both exist. It
    is valid from a day ago, as with other installers: if this clock were a little ahead of others, it would not be valid
    for them yet. Only `openssl ca` can backdate a certificate.
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
    """A time in the format of openssl."""
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(seconds))
