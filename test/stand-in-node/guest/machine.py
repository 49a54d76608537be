"""The properties of the machine that the installer checks."""
import os


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def first_console():
    """Returns the terminal on which the installer runs: the first console that the kernel arguments name
    (setup-installer.sh, console/tty.go getFirstConsoleTTY)."""
    return (read("/sys/class/tty/console/active").split() or ["console"])[0]


def disks():
    """Returns whole disks with their sizes in bytes."""
    names = [name for name in os.listdir("/sys/block") if not name.startswith(("loop", "ram", "sr", "zram"))]
    return {f"/dev/{name}": int(read(f"/sys/block/{name}/size") or 0) * 512 for name in names}


def links():
    """Returns the stable names of disks."""
    folder = "/dev/disk/by-id"
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return {f"{folder}/{name}": os.path.realpath(f"{folder}/{name}") for name in names}


def interfaces():
    """Returns network cards by name."""
    return {
        name: {"mac": read(f"/sys/class/net/{name}/address"), "loopback": bool(int(read(f"/sys/class/net/{name}/flags") or "0", 16) & 8)}
        for name in os.listdir("/sys/class/net")
    }


def machine():
    """Returns all these properties in the form that the rules expect."""
    memory = next((line.split()[1] for line in read("/proc/meminfo").split("\n") if line.startswith("MemTotal:")), "0")
    virtual = " hypervisor " in read("/proc/cpuinfo").replace("\n", " ")
    return {
        "disks": disks(),
        "links": links(),
        "interfaces": interfaces(),
        "processors": os.cpu_count() or 1,
        "memoryBytes": int(memory) * 1024,
        "virtual": read("/sys/class/dmi/id/sys_vendor") if virtual else "",
        "kvm": os.path.exists("/dev/kvm"),
        "efi": os.path.exists("/sys/firmware/efi"),
        "defaultRoute": any(line.split()[1] == "00000000" for line in read("/proc/net/route").split("\n")[1:]),
    }
