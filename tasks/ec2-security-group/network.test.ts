import { BlockList } from "node:net";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalNetwork } from "./network.ts";

describe("a network in EC2's notation", () => {
  it.each([
    ["10.0.0.1/8", "10.0.0.0/8"],
    ["100.68.0.18/18", "100.68.0.0/18"],
    ["192.0.2.7/32", "192.0.2.7/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["203.0.113.9/0", "0.0.0.0/0"],
    ["2001:DB8::1/32", "2001:db8::/32"],
    ["2001:db8:0:0:1:0:0:1/128", "2001:db8::1:0:0:1/128"],
    ["2001:0db8:0000:0000:0000:0000:0000:0001/64", "2001:db8::/64"],
    ["::/0", "::/0"],
    ["::1/128", "::1/128"],
    ["::ffff:192.0.2.1/128", "::ffff:c000:201/128"],
    ["fe80::1/10", "fe80::/10"],
  ])("%s is stored as %s", (written, kept) => {
    expect(canonicalNetwork(written)).toBe(kept);
  });

  it.each([
    "300.1.1.1/8",
    "10.0.0.0/33",
    "10.0.0/8",
    "10.0.0.0",
    "::/129",
    "1::2::3/64",
    "1:2:3:4:5:6:7/64",
    "g::/8",
    "01.2.3.4/8",
    "/8",
  ])("%s is not a network", (text) => {
    expect(canonicalNetwork(text)).toBeUndefined();
  });

  it("contains the same addresses as the original network, and does not change when converted again", () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.array(byte, { minLength: 4, maxLength: 4 }), fc.integer({ min: 0, max: 32 }), (bytes, prefix) => {
        const kept = canonicalNetwork(`${bytes.join(".")}/${prefix}`) ?? "";
        const list = new BlockList();
        list.addSubnet(kept.split("/")[0] ?? "", prefix);
        expect(list.check(bytes.join("."))).toBe(true);
        expect(canonicalNetwork(kept)).toBe(kept);
      }),
    );
  });
});
