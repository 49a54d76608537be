"""The program that init starts: it runs the installer on the live system, and the node on the installed system."""
import sys

sys.path.insert(0, "/usr/lib/stand-in")

if __name__ == "__main__":
    with open("/proc/cmdline", encoding="utf-8") as file:
        live = " root=live:" in f" {file.read()}"
    if live:
        import install
        install.main()
    else:
        import node
        node.main()
