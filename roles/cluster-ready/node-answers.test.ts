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
const quiet = { log: { text: "192.168.130.11 200 1 /k\n" }, console: absent, started: absent };

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
