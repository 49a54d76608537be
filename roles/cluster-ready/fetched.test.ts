import { describe, expect, test } from "vitest";
import { clusterSchema } from "../cluster/cluster.ts";
import { clusterNodes } from "../cluster/nodes.ts";
import { fetchedStages, hasFailed, lastLine, progressOf } from "./fetched.ts";

const cluster = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p" });
const [node] = clusterNodes(cluster) as [ReturnType<typeof clusterNodes>[number]];
const stages = fetchedStages(cluster, node);
const log = `192.168.130.11 200 80 /boot.ipxe
192.168.130.12 200 80 /boot.ipxe
192.168.130.11 200 500 /nodes/52-54-00-68-76-01.ipxe
192.168.130.11 200 9000 /harvester-v1.8.1-vmlinuz-amd64
192.168.130.12 200 9000 /harvester-v1.8.1-amd64.iso
`;

test("reports the last file that this node fetched, not another node's", () => {
  expect(progressOf(node, stages, log, "")).toBe("harvester-1 has fetched the kernel (3 of 7)");
  expect(progressOf(node, stages, "", "")).toBe("harvester-1 has fetched nothing yet");
});

test("reports a refused request, and the console's last line", () => {
  const refused = `${log}192.168.130.11 404 153 /harvester-v1.8.1-initrd-amd64\n`;
  expect(progressOf(node, stages, refused, "\u001B[2J\u001B[1;1HInstalling…\r\n\u001B[0m\r\n")).toBe(
    "harvester-1 has fetched the kernel (3 of 7); its request for /harvester-v1.8.1-initrd-amd64 was refused (404); its console says: Installing…",
  );
});

describe("a report of the node's installer", () => {
  const began = "192.168.130.11 200 80 /boot.ipxe 1000.000\n192.168.130.11 204 0 /installer/STARTED 1020.500\n";
  const ended = (event: string): string => `${began}192.168.130.11 204 0 /installer/${event} 1090.250\n`;

  test.each([
    { log: began, says: "its installation has begun" },
    { log: ended("SUCCEEDED"), says: "it is installed" },
    { log: ended("FAILED"), says: "its installer says that it has failed" },
  ])("is part of the node's progress: $says", ({ log: lines, says }) => {
    expect(progressOf(node, stages, lines, "")).toBe(`harvester-1 has fetched the boot script (1 of 7); ${says}`);
  });

  test.each([
    { name: "a failure since the node was started", lines: ended("FAILED"), since: 990, failed: true },
    { name: "a failure before the node was started again", lines: ended("FAILED"), since: 1100, failed: false },
    { name: "a failure before the node booted again", lines: `${ended("FAILED")}${began}`, since: 990, failed: false },
    { name: "a failure of another node", lines: ended("FAILED").replaceAll(".11 ", ".12 "), since: 990, failed: false },
    {
      name: "a failure in a log without times",
      lines: ended("FAILED").replaceAll(/ \d+\.\d+\n/g, "\n"),
      since: 990,
      failed: false,
    },
    { name: "a failure that was not reported", lines: ended("SUCCEEDED"), since: 990, failed: false },
  ])("$name ends the wait: $failed", ({ lines, since, failed }) => {
    expect(hasFailed(node, stages, lines, since)).toBe(failed);
  });
});

test.each([
  ["", ""],
  ["one\r\ntwo\r\n", "two"],
  ["50 %\r60 %\r", "60 %"],
  ["\u001B(B\u001B[mlogin: \u0007", "login:"],
])("reads the console %j and returns the last line %j", (screen, line) => {
  expect(lastLine(screen)).toBe(line);
});
