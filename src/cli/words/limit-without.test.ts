import { describe, expect, test } from "vitest";
import type { Address } from "../../core/host/transport.ts";
import { limitWithout } from "./limit-without.ts";

const at = (name: string, port: number, jump: readonly Address[] = []): Address =>
  ({ name, address: "10.0.0.1", port, jump }) as unknown as Address;
const gate = at("gate", 22);
const addresses = [at("rd1", 2201), at("rd2", 2202), at("rd2-again", 2202), at("inner", 22, [gate])];

describe("the --limit that leaves out hosts with unknown keys", () => {
  test.each([
    ["leaves out every host name of the server", ["[10.0.0.1]:2202"], undefined, "--limit '!rd2:!rd2-again'"],
    ["leaves out the hosts behind an unknown jump host", ["10.0.0.1"], undefined, "--limit '!inner'"],
    ["keeps the limit that was given", ["[10.0.0.1]:2201"], "rd*", "--limit 'rd*:!rd1'"],
    ["reads a limit with commas as one list", ["[10.0.0.1]:2201"], "rd1,rd2", "--limit 'rd1,rd2,!rd1'"],
    [
      "is not offered if no host would be left",
      ["[10.0.0.1]:2201", "[10.0.0.1]:2202", "10.0.0.1"],
      undefined,
      undefined,
    ],
  ])("%s", (_, names, limit, flag) => {
    expect(limitWithout(addresses, new Set(names), limit)).toBe(flag);
  });
});
