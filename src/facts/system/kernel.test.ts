import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { hostnameKind, runningHostname, sysctlKind, sysctlPath, sysctlValue } from "./kernel.ts";

describe.each([{ shell: ["sh", "-c"] }, { shell: ["busybox", "sh", "-c"] }, { shell: ["bash", "-c"] }])(
  "the kernel's facts in $shell.0",
  ({ shell }) => {
    test("include kernel parameters, with single spaces", async () => {
      const questions = [sysctlValue("kernel.ostype"), sysctlValue("kernel.printk"), sysctlValue("kernel.nosuch")];
      const answers = await readKind(questions, { shell });
      const printk = readFileSync("/proc/sys/kernel/printk", "utf8").trim().split(/\s+/).join(" ");
      expect(answers.map(({ value }) => value)).toEqual(["Linux", printk, absent]);
      answers.forEach(({ value, lines }) => {
        expect(sysctlKind.print?.(value as string, sysctlValue("x"))).toEqual(lines);
      });
    });
    test("include the running host name", async () => {
      const [answer] = await readKind([runningHostname()], { shell });
      expect(answer?.value).toBe(hostname());
      expect(hostnameKind.print?.(answer?.value as string, runningHostname())).toEqual(answer?.lines);
    });
  },
);

test("allows dots in the parts of a key with slashes", () => {
  expect(sysctlPath("vm.swappiness")).toBe("vm/swappiness");
  expect(sysctlPath("net/ipv4/conf/eth0.100/forwarding")).toBe("net/ipv4/conf/eth0.100/forwarding");
});
