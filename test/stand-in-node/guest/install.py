"""The live system's program: reads the configuration, and either refuses it or installs to the disk and reboots.

It follows the order of addInstallPanel in pkg/installer/console/install_panels.go: firmware, kernel arguments, document,
network, rules, webhooks, installation.
"""
import json
import struct
import subprocess
import time
import urllib.request

from config import Unreadable, at, from_document, from_kernel, merged
from machine import machine, read
from network import configure, hostname_by_dhcp, run, said, write
from rules import firmware, refusal
from webhooks import handle, prepared

SECTOR = 512


def fetched(url, tries, wait):
    """Downloads a URL; like the installer, tries 30 times, every 10 seconds (console/util.go retryRemoteConfig)."""
    for left in range(tries, -1, -1):
        try:
            with urllib.request.urlopen(url, timeout=15) as answer:
                return answer.read()
        except OSError as error:
            said(f"cannot fetch {url}: {error}")
            if left == 0:
                raise
            time.sleep(wait)


def stop(line):
    """Prints why the installation stops, and waits to be inspected, just as the installer keeps showing its message."""
    said(line)
    while True:
        time.sleep(3600)


def configuration():
    """Returns the complete configuration of this installation."""
    local = from_kernel(read("/proc/cmdline"))
    if not at(local, "install.automatic", False):
        stop("nobody answers the installer's questions: harvester.install.automatic is not set")
    url = at(local, "install.configUrl")
    if not url:
        return local
    config = merged(local, from_document(fetched(url, 30, 10)))
    said(f"{at(config, 'os.hostname')} ({at(config, 'install.mode')}) got its configuration from {url}")
    return config


def part(device, number):
    """Returns the device name of a partition."""
    return f"{device}{'p' if device[-1].isdigit() else ''}{number}"


def write_system(url, device):
    """Copies the installed system to the disk, except the first sector, without which the disk does not boot: it
    returns that sector so the caller can write it last."""
    with urllib.request.urlopen(url, timeout=15) as source, open(device, "r+b", buffering=0) as disk:
        size = disk.seek(0, 2)
        first = bytearray(source.read(SECTOR))
        if first[510:512] != b"\x55\xaa":
            raise OSError(f"{url} is not a system that can be installed")
        start = sum(struct.unpack("<II", first[454:462]))
        if (start + 65536) * SECTOR > size:
            raise OSError(f"the disk {device} is too small")
        # The rest of the disk becomes the node's own partition.
        first[462:478] = struct.pack("<B3sB3sII", 0, b"\xfe\xff\xff", 0x83, b"\xfe\xff\xff", start, size // SECTOR - start)
        # Until the very end the disk must not boot, so this sector has no boot code and no partition of type 0xef (EFI
        # system partition).
        harmless = bytes(440) + first[440:446] + b"\0" + first[447:450] + b"\x83" + first[451:]
        disk.seek(0)
        disk.write(harmless)
        while block := source.read(1 << 20):
            disk.write(block)
    run("sync")
    run("blockdev", "--rereadpt", device)
    return bytes(first)


def format_part(label, device):
    """Creates a file system with a journal: without one, a power loss while a file is written damages it."""
    run("mke2fs", "-q", "-F", "-t", "ext4", "-J", "size=4", "-L", label, device)


def install(config):
    """Installs to the disk that the configuration names."""
    device = run("readlink", "-f", at(config, "install.device")).strip()
    said(f"installing to {device} from {at(config, 'install.isoUrl')}")
    first = write_system(at(config, "install.isoUrl"), device)
    format_part("COS_OEM", part(device, 2))
    if at(config, "install.dataDisk"):
        format_part("HARV_LH_DEFAULT", run("readlink", "-f", at(config, "install.dataDisk")).strip())
    password = at(config, "os.password")
    if password and not password.startswith("$"):
        config["os"]["password"] = run("openssl", "passwd", "-6", "-stdin", text=password).strip()
    run("mkdir", "-p", "/oem")
    run("mount", "-t", "ext4", part(device, 2), "/oem")
    write("/oem/harvester.config", json.dumps(config), 0o600)
    run("umount", "/oem")
    with open(device, "r+b", buffering=0) as disk:
        disk.write(first)
    run("sync")


def main():
    """Runs the whole installation, from reading the kernel arguments to the reboot."""
    stopped = firmware(read("/proc/cmdline"), machine())
    if stopped:
        stop(stopped)
    try:
        config = configuration()
        if at(config, "install.managementInterface.method").lower() == "dhcp":
            configure(config)
        if not at(config, "os.hostname"):
            config.setdefault("os", {})["hostname"] = hostname_by_dhcp() or f"harvester-{int(time.time()) % 100000:05d}"
    except (Unreadable, OSError, subprocess.CalledProcessError) as error:
        stop(f"Fail to load config: {error}")
    refused = refusal(config, machine())
    if refused:
        stop(f"Invalid configuration: {refused[1]} ({refused[0]})")
    try:
        hooks = prepared(config)
    except ValueError as error:
        stop(f"fail to prepare webhook: {error}")
    handle(hooks, "STARTED")
    try:
        install(config)
    except (OSError, subprocess.CalledProcessError) as error:
        handle(hooks, "FAILED")
        stop(f"Install failed: {error} {getattr(error, 'stderr', '')}")
    handle(hooks, "SUCCEEDED")
    said("installed; rebooting from the disk")
    run("poweroff" if at(config, "install.powerOff", False) else "reboot")
