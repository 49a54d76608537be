import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { nodeAnswers } from "./node-answers.ts";

const common = {
  node: { name: "harvester-1", address: "192.168.130.11" },
  stages: [{ path: "/k", what: "the kernel" }],
  log: "/var/log/nginx/harvester.log",
  console: "/var/log/libvirt/qemu/harvester-1-serial.log",
  times: 15,
  intervalSeconds: 2,
  deadlineSeconds: 2700,
};
const first = nodeAnswers({ ...common, asked: { url: "https://192.168.130.120/ping" } });
const other = nodeAnswers({ ...common, asked: { address: "192.168.130.12", port: 10_250 } });
const quiet = { log: { text: "192.168.130.11 200 1 /k\n" }, console: absent, printed: absent, started: absent };

test("accepts no answer except pong", () => {
  expect(explain(first, { ...quiet, answer: { status: 200, body: "pong\n", headers: {} } }).refusal).toBeUndefined();
  for (const [answer, says] of [
    [{ error: { code: "curl 7", message: "Connection refused" } }, "no answer (Connection refused)"],
    [{ status: 503, body: "no leader", headers: {} }, 'answered 503 "no leader"'],
    [{ status: 200, body: "<html>", headers: {} }, 'answered 200 "<html>"'],
  ] as const) {
    expect(explain(first, { ...quiet, answer }).refusal?.message).toBe(
      `${says}; harvester-1 has fetched the kernel (1 of 1)`,
    );
  }
});

test("counts an additional node as joined when its kubelet listens", () => {
  expect(explain(other, { ...quiet, open: { open: true } }).refusal).toBeUndefined();
  expect(explain(other, { ...quiet, open: { open: false } }).refusal?.message).toContain("port 10250 is closed");
});

test("stops waiting if the node's installer has failed since the node was started", () => {
  const text = "192.168.130.11 200 1 /k 1000.5\n192.168.130.11 204 0 /installer/FAILED 1090.5\n";
  const answer = { error: { code: "curl 7", message: "Connection refused" } };
  const now = (changed: number) => ({ ...quiet, answer, log: { text }, started: { type: "file", changed } });
  expect(explain(first, now(999e6)).refusal).toMatchObject({
    code: "install-failed",
    message:
      "harvester-1 could not be installed; harvester-1 has fetched the kernel (1 of 1); its installer says that it has failed",
    final: true,
  });
  expect(explain(first, now(1100e6)).refusal).toMatchObject({ code: "not-yet" });
  expect(explain(first, { ...now(999e6), answer: { status: 200, body: "pong", headers: {} } }).refusal).toBeUndefined();
});

test("stops waiting if the node's kernel has panicked and stopped since the node was started", () => {
  const end =
    "[    0.076000] ---[ end Kernel panic - not syncing: IO-APIC + timer doesn't work!  Boot with apic=debug. ]---\n";
  const now = (text: string, printed: number, started = 1000e6) => ({
    ...quiet,
    answer: { error: { code: "curl 7", message: "Connection refused" } },
    console: { text },
    printed: { type: "file", changed: printed },
    started: { type: "file", changed: started },
  });
  expect(explain(first, now(end, 1005e6)).refusal).toMatchObject({
    code: "kernel-panic",
    message:
      "harvester-1 has halted; harvester-1 has fetched the kernel (1 of 1); its kernel panicked: IO-APIC + timer doesn't work! Boot with apic=debug.",
    final: true,
  });
  const before = explain(first, now(end, 1005e6, 1010e6)).refusal;
  const again = explain(first, now(`${end}[    0.000000] Linux version 6.4.0\n`, 1005e6)).refusal;
  const reboots = explain(
    first,
    now("[ 1.0] Kernel panic - not syncing: x\n[ 2.0] Rebooting in 10 seconds..\n", 1005e6),
  );
  expect([before, again, reboots.refusal].map((refusal) => refusal?.code)).toEqual(["not-yet", "not-yet", "not-yet"]);
});
