import { expect, test } from "vitest";
import { permissionOf, rulesOf } from "./rules.ts";

test.each([
  "tcp 443 0.0.0.0/0",
  "udp 8000-8100 ::/0",
  "icmp all 10.0.0.0/8",
  "icmpv6 all ::/0",
  "tcp all 192.0.2.0/24",
  "all all sg-1",
  "tcp 22 pl-1",
])("keeps a rule through the conversion to EC2 and back: %s", (rule) => {
  expect(rulesOf([permissionOf(rule)])).toEqual([rule]);
});

test("converts a permission with several sources to several rules", () => {
  const ranges = { IpRanges: [{ CidrIp: "10.0.0.0/8" }, { CidrIp: "0.0.0.0/0" }], Ipv6Ranges: [{ CidrIpv6: "::/0" }] };
  expect(rulesOf([{ IpProtocol: "tcp", FromPort: 22, ToPort: 22, ...ranges }])).toEqual([
    "tcp 22 0.0.0.0/0",
    "tcp 22 10.0.0.0/8",
    "tcp 22 ::/0",
  ]);
});
