import { expect, test } from "vitest";
import { diskOf, firewallOf, hostKeysOf, imageOf, instanceOf, networkOf } from "./views.ts";

test("gives missing fields their defaults", () => {
  expect(networkOf({})).toEqual({ autoSubnets: false, mtu: 1460, description: "" });
  expect(diskOf({ sizeGb: "350" })).toMatchObject({ sizeGb: 350, iops: 0, labels: {}, users: [] });
  expect(instanceOf({ status: "TERMINATED" }, [])).toMatchObject({
    nested: false,
    spot: false,
    address: "",
    tags: [],
    metadata: {},
    disks: {},
    verified: false,
  });
});

test("gives a rule one entry for each protocol and port range, sorted", () => {
  const allowed = [
    { IPProtocol: "udp", ports: ["68"] },
    { IPProtocol: "tcp", ports: ["443", "22"] },
    { IPProtocol: "icmp" },
  ];
  expect(firewallOf({ allowed, sourceRanges: ["b", "a"], network: "https://x/networks/lab" })).toMatchObject({
    allow: ["icmp", "tcp:22", "tcp:443", "udp:68"],
    sourceRanges: ["a", "b"],
    network: "lab",
  });
});

test("identifies an image by its path", () => {
  const selfLink = "https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/debian-12-v1";
  expect(imageOf({ selfLink, diskSizeGb: "10" })).toEqual({
    link: "projects/debian-cloud/global/images/debian-12-v1",
    sizeGb: 10,
  });
});

test("puts the key type at the start of each host key", () => {
  const items = [
    { key: "ssh-rsa", value: "AAAAB " },
    { key: "ecdsa-sha2-nistp256", value: "AAAAE" },
  ];
  expect(hostKeysOf({ queryValue: { items } })).toEqual(["ecdsa-sha2-nistp256 AAAAE", "ssh-rsa AAAAB"]);
});
