import { expect, test } from "vitest";
import { addressOf, cidrOf, cidrText, isIn, isReserved, networkText, plainText } from "./addresses.ts";

test.each(["192.0.2.1", "0.0.0.0", "::", "::1", "fe80::1", "2001:db8:0:1:2:3:4:5", "1::"])(
  "%s is an address",
  (text) => {
    expect(plainText(text)).toBe(text);
  },
);

test.each([
  "",
  "192.0.2",
  "192.0.2.256",
  "192.0.2.01",
  "1:2:3",
  "1::2::3",
  "1:2:3:4:5:6:7:8:9",
  "fe80::1%eth0",
  "g::1",
  "1:2:3:4:5:6:7::8",
])("%s is not an address", (text) => {
  expect(addressOf(text)).toBeUndefined();
});

test.each([
  ["2001:DB8:0:0:0:0:0:7/64", "2001:db8::7/64"],
  ["1:0:0:2:0:0:0:3/128", "1:0:0:2::3/128"],
  ["0:0:0:0:0:0:0:0/0", "::/0"],
  ["192.0.2.1/24", "192.0.2.1/24"],
])("the kernel shows %s as %s", (text, shown) => {
  expect(cidrText(text)).toBe(shown);
});

test.each([
  ["10.1.2.3/8", "10.0.0.0/8"],
  ["10.1.2.3/32", "10.1.2.3"],
  ["2001:db8::7/32", "2001:db8::/32"],
])("a route to %s has the destination %s", (text, shown) => {
  expect(networkText(text)).toBe(shown);
});

test("tells whether an address is in a network", () => {
  expect(isIn("192.0.2.1", "192.0.2.10/24")).toBe(true);
  expect(isIn("192.0.3.1", "192.0.2.10/24")).toBe(false);
  expect(isIn("2001:db8::1", "2001:db8::2/64")).toBe(true);
  expect(isIn("2001:db8::1", "192.0.2.10/24")).toBe(false);
});

test("no host can have a network's own address or its broadcast address", () => {
  const reserved = (text: string): boolean | undefined => {
    const cidr = cidrOf(text);
    return cidr && isReserved(cidr);
  };
  expect(["192.0.2.0/24", "192.0.2.255/24", "192.0.2.3/30"].map(reserved)).toEqual([true, true, true]);
  expect(["192.0.2.1/24", "192.0.2.0/31", "192.0.2.0/32", "2001:db8::/64"].map(reserved)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
