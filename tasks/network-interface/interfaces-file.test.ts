import { expect, test } from "vitest";
import { interfaces } from "./hosts.cases.ts";
import { withoutStanzas } from "./interfaces-file.ts";

test("comments out the stanzas of an interface, and keeps those of others", () => {
  expect(withoutStanzas(interfaces, ["eth0", "br0"])).toBe(`# The loopback network interface
auto lo
iface lo inet loopback

source /etc/network/interfaces.d/*

# furrow: auto eth0
# furrow: iface eth0 inet static
# furrow:     address 192.0.2.10/24
# furrow:     gateway 192.0.2.1
`);
});

test("changes nothing the second time", () => {
  const once = withoutStanzas(interfaces, ["eth0"]);
  expect(withoutStanzas(once, ["eth0"])).toBe(once);
});

test.each([
  { what: "another interface on the same line", text: "auto lo eth0 eth1\n", lines: "auto lo eth1\n" },
  { what: "an interface that is plugged in", text: "allow-hotplug eth0\n", lines: "# furrow: allow-hotplug eth0\n" },
  {
    what: "both versions of IP",
    text: "iface eth0 inet dhcp\niface eth0 inet6 auto\niface eth1 inet dhcp\n",
    lines: "# furrow: iface eth0 inet dhcp\n# furrow: iface eth0 inet6 auto\niface eth1 inet dhcp\n",
  },
  {
    what: "an interface whose name begins in the same way",
    text: "iface eth01 inet dhcp\n",
    lines: "iface eth01 inet dhcp\n",
  },
  {
    what: "a comment within a stanza",
    text: "iface eth0 inet dhcp\n  # why\n",
    lines: "# furrow: iface eth0 inet dhcp\n  # why\n",
  },
])("$what", ({ text, lines }) => {
  const include = "source /etc/network/interfaces.d/*\n";
  expect(withoutStanzas(include + text, ["eth0"])).toBe(include + lines);
});

test.each([
  ["no file", "", "source /etc/network/interfaces.d/*\n"],
  ["no line that reads other files", "auto lo", "auto lo\nsource /etc/network/interfaces.d/*\n"],
  [
    "a source-directory line",
    "source-directory /etc/network/interfaces.d\n",
    "source-directory /etc/network/interfaces.d\n",
  ],
  ["a source line with a relative path", "source interfaces.d/*\n", "source interfaces.d/*\n"],
  [
    "a source-directory line with a relative path",
    "source-directory interfaces.d\n",
    "source-directory interfaces.d\n",
  ],
])("reads furrow's own files: %s", (_, text, result) => {
  expect(withoutStanzas(text, ["eth0"])).toBe(result);
});

test("adds a line for one of furrow's files that source-directory ignores because of its name, but only once", () => {
  const folder = "source-directory /etc/network/interfaces.d\n";
  const once = withoutStanzas(folder, ["eth1.60", "eth0"]);
  expect(once).toBe(`${folder}source /etc/network/interfaces.d/furrow-eth1.60\n`);
  expect(withoutStanzas(once, ["eth1.60", "eth0"])).toBe(once);
  expect(withoutStanzas("source /etc/network/interfaces.d/*\n", ["eth1.60"])).toBe(
    "source /etc/network/interfaces.d/*\n",
  );
});
