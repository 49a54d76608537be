import { expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { clusterAddresses, summaryLines } from "./role.ts";

const parsed = (more: object = {}) =>
  clusterSchema.parse({ disks: ["/dev/disk/by-id/a"], token: "t", password: "p", ...more });
const lines = (more: object = {}, publicAddress = "203.0.113.10") =>
  summaryLines({ cluster: parsed(more), host: { address: "203.0.113.10" }, publicAddress });

test("shows the web UI, Longhorn, the virtual address, the kubeconfig and a console", () => {
  expect(lines()).toEqual([
    "web UI: https://203.0.113.10",
    "Longhorn: https://203.0.113.10/dashboard/c/local/longhorn",
    "virtual address: 192.168.130.120, reachable from the host",
    "kubeconfig: ./harvester-kubeconfig.yaml",
    "console of a node: ssh -t 203.0.113.10 virsh -c qemu:///system console harvester-1; its screen: playbooks/harvester-console.ts",
  ]);
});

test("shows a tunnel if no port is exposed, and no kubeconfig that was not fetched", () => {
  expect(lines({ exposure: false, kubeconfig: false })).toEqual([
    "web UI: https://localhost:8443, through ssh -N -L 8443:192.168.130.120:443 203.0.113.10",
    "Longhorn: https://localhost:8443/dashboard/c/local/longhorn",
    "virtual address: 192.168.130.120, reachable from the host",
    "console of a node: ssh -t 203.0.113.10 virsh -c qemu:///system console harvester-1; its screen: playbooks/harvester-console.ts",
  ]);
  expect(lines({}, "2001:db8::1")[0]).toBe("web UI: https://[2001:db8::1]");
});

test("the commands have the inventory's user, port and identity file, and sudo for a user who is not root", () => {
  const host = { address: "10.77.2.11", ssh: ["-p", "2222", "-i", "/keys/lab key", "admin@10.77.2.11"], user: "admin" };
  const [url, , , , terminal] = summaryLines({
    cluster: parsed({ exposure: false }),
    host,
    publicAddress: "10.77.2.11",
  });
  expect(url).toMatch(/ssh -N -L 8443:192\.168\.130\.120:443 -p 2222 -i '\/keys\/lab key' admin@10\.77\.2\.11$/);
  expect(terminal).toContain(
    "ssh -t -p 2222 -i '/keys/lab key' admin@10.77.2.11 sudo virsh -c qemu:///system console harvester-1",
  );
  const here = summaryLines({ cluster: parsed(), host: { address: "localhost", ssh: [] }, publicAddress: "localhost" });
  expect(here.at(-1)).toMatch(/^console of a node: virsh -c qemu:\/\/\/system console harvester-1;/);
});

test("prints these lines as notes, and changes nothing", () => {
  const lines = ["web UI: https://a"];
  expect(explain(clusterAddresses({ lines }), {})).toMatchObject({ change: {}, steps: [], notes: lines });
});
