import { describe, expect, test } from "vitest";
import { ipv4Number, overlap, prefixOf, subnetOf } from "./ipv4.ts";

describe("addresses", () => {
  test.each([
    ["0.0.0.0", 0],
    ["10.0.0.1", 167_772_161],
    ["255.255.255.255", 4_294_967_295],
    ["10.0.0.256", undefined],
    ["10.0.1", undefined],
    ["::1", undefined],
  ])("%s as a number is %s", (text, number) => expect(ipv4Number(text)).toBe(number));

  test.each([
    ["10.0.0.1/24", "10.0.0.129/25", true],
    ["10.0.0.1/25", "10.0.0.129/25", false],
    ["10.0.0.1/8", "10.200.0.0/30", true],
    ["0.0.0.0/0", "192.0.2.1/32", true],
    ["10.0.0.1/33", "10.0.0.1/24", false],
    ["fd00::1/64", "10.0.0.1/24", false],
  ])("%s and %s overlap: %s", (a, b, both) => {
    expect(overlap(a, b)).toBe(both);
    expect(overlap(b, a)).toBe(both);
  });

  test("computes the first and last address of a subnet, and the length of a netmask", () => {
    expect(subnetOf("192.168.122.77/24")).toEqual({ first: 3_232_266_752, last: 3_232_267_007 });
    expect(prefixOf("255.255.255.0")).toBe(24);
    expect(prefixOf("255.255.254.0")).toBe(23);
  });
});
