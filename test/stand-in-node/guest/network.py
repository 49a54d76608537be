"""Configures the node's network from `install.management_interface`, and runs system commands."""
import os
import subprocess

from config import at
from machine import first_console, interfaces, read


def run(*argv, text=None):
    """Runs a program and returns its output; raises CalledProcessError if it fails."""
    return subprocess.run(argv, input=text, check=True, capture_output=True, text=True).stdout


def said(line):
    """Prints a line on the first console, as the installer does. For tests, which cannot see a screen, also prints it on
    /dev/console, which is the last one: the real installer prints nothing there."""
    try:
        with open(os.open(f"/dev/{first_console()}", os.O_WRONLY | os.O_NOCTTY), "w", encoding="utf-8") as screen:
            screen.write(f"{line}\r\n")
    except OSError:
        pass
    print(f"stand-in: {line}", flush=True)


def card_of(config):
    """Returns the network card to use: the first one in the configuration."""
    one = (at(config, "install.managementInterface.interfaces", []) or [{}])[0]
    address = (one.get("hwAddr") or "").lower().replace("-", ":")
    cards = interfaces()
    return one.get("name") or next((name for name, card in cards.items() if card["mac"].lower() == address), "")


def configure(config):
    """Configures the card's address; returns (address, prefix length)."""
    network, card = at(config, "install.managementInterface", {}), card_of(config)
    run("ip", "link", "set", card, "up")
    if at(network, "mtu", 0):
        run("ip", "link", "set", card, "mtu", str(network["mtu"]))
    if at(network, "method").lower() == "static":
        run("ip", "addr", "replace", f"{network['ip']}/{prefix_of(network['subnetMask'])}", "dev", card)
        run("ip", "route", "replace", "default", "via", network["gateway"], "dev", card)
        with open("/etc/resolv.conf", "w", encoding="utf-8") as file:
            file.writelines(f"nameserver {server}\n" for server in at(config, "os.dnsNameservers", []))
        return network["ip"], prefix_of(network["subnetMask"])
    run("udhcpc", "-i", card, "-n", "-q", "-t", "15", "-T", "2", "-s", "/usr/lib/stand-in/lease")
    # A second DHCP client renews the lease in the background; because of the node's reservation it gets the same
    # address.
    subprocess.Popen(["udhcpc", "-i", card, "-f", "-S", "-s", "/usr/lib/stand-in/lease"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address, _, length = read("/run/dhcp-lease").split()[1].partition("/")
    return address, int(length)


def address_of(card):
    """Returns the card's IPv4 address, or an empty string."""
    words = run("ip", "-o", "-4", "addr", "show", "dev", card).split()
    return words[words.index("inet") + 1].partition("/")[0] if "inet" in words else ""


def prefix_of(mask):
    """Returns the prefix length of a netmask."""
    return sum(bin(int(part)).count("1") for part in mask.split("."))


def hostname_by_dhcp():
    """Returns the host name that the DHCP server assigned."""
    return read("/run/dhcp-hostname")


def take(address, length, card):
    """Adds an address to the card and announces it to the network."""
    run("ip", "addr", "replace", f"{address}/{length}", "dev", card)
    subprocess.run(["arping", "-q", "-A", "-c", "2", "-I", card, address], check=False)


def is_free(address, card):
    """True if no other machine on the network uses the address (RFC 5227, ARP probe)."""
    return subprocess.run(["arping", "-q", "-D", "-c", "2", "-w", "2", "-I", card, address], check=False).returncode == 0


def write(path, text, mode=0o644):
    """Writes a file atomically, even if the power fails."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)
