"""What the first program of either system starts: the installer of the live one, the node of the installed one."""
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
