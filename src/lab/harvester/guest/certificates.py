"""Certificate authorities and certificates, made by openssl: one authority for the API of Kubernetes, one for the port 443."""
import os
import subprocess


def authority(folder, name):
    """Makes a certificate authority, unless it is there."""
    if not os.path.exists(f"{folder}/{name}.crt"):
        make(folder, name, f"/CN={name}", ["basicConstraints=critical,CA:true", "keyUsage=critical,keyCertSign,cRLSign"])


def certificate(folder, name, issuer, subject, names=(), use="serverAuth"):
    """Makes a certificate for the names (`DNS:…`, `IP:…`), unless it is there."""
    if os.path.exists(f"{folder}/{name}.crt"):
        return
    extra = [f"extendedKeyUsage={use}", "keyUsage=digitalSignature", *([f"subjectAltName={','.join(names)}"] if names else [])]
    make(folder, name, subject, extra, ["-CA", f"{folder}/{issuer}.crt", "-CAkey", f"{folder}/{issuer}.key"])


def make(folder, name, subject, extensions, issuer=()):
    """Makes a key and a certificate beside each other; the certificate, made last, says that both are there."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    argv = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
            "-subj", subject, "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.new", *issuer]
    for extension in extensions:
        argv += ["-addext", extension]
    subprocess.run(argv, check=True, capture_output=True)
    os.replace(f"{folder}/{name}.new", f"{folder}/{name}.crt")
