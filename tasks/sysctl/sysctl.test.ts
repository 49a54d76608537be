import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { sysctl } from "./sysctl.ts";

const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const saved = { ...directory, type: "file", sha256: "aa" };
const tell = (params: object, now: object = {}): Explanation =>
  explain(sysctl({ key: "vm.swappiness", value: 10, ...params }), {
    running: "10",
    saved,
    folder: directory,
    later: absent,
    ...now,
  });

describe("sysctl", () => {
  test("sets a parameter now and for every boot", () => {
    const { steps, described } = tell({}, { running: "60", saved: absent, folder: absent });
    expect(described).toEqual([
      "set vm.swappiness to 10",
      "make directory /etc/sysctl.d",
      "write /etc/sysctl.d/99-zz-furrow-vm-swappiness.conf",
    ]);
    expect(steps[2]).toMatchObject({ text: "vm/swappiness = 10\n" });
  });
  test("only sets the running value if `persist` is false", () => {
    expect(tell({ persist: false }, { running: "60", saved: absent }).described).toEqual(["set vm.swappiness to 10"]);
    expect(tell({ persist: false }, { saved: absent }).steps).toEqual([]);
  });
  test("treats several spaces between parts as one", () => {
    const params = { key: "net.ipv4.ip_local_port_range", value: "1024\t 65000", persist: false };
    expect(tell(params, { running: "1024 65000" }).steps).toEqual([]);
  });
  test("removes its file, and keeps the running value", () => {
    const call = sysctl({ key: "vm.swappiness", state: "absent" });
    const now = { running: "10", saved, folder: directory };
    expect(explain(call, now).described).toEqual(["remove /etc/sysctl.d/99-zz-furrow-vm-swappiness.conf"]);
    expect(explain(call, { ...now, saved: absent }).steps).toEqual([]);
  });
  test.each([
    { value: "0600", running: "60", write: "384" },
    { value: "0x1F -010", running: "1 2", write: "31 -8" },
    { value: "0600", running: "00", write: undefined },
    { value: "00ff", running: "1", write: undefined },
    { value: "0", running: "1", write: undefined },
    { value: "0600", running: "(none)", write: undefined },
  ])("suggests writing $write if $value is requested and the kernel shows $running", ({ value, running, write }) => {
    const hint = write === undefined ? undefined : `Write value: "${write}"`;
    expect(tell({ value }, { running }).refusal?.hint).toBe(hint);
  });
  test("refuses a parameter that the kernel does not have", () => {
    expect(tell({}, { running: absent }).refusal?.code).toBe("no-parameter");
  });
  test.each([
    { param: "key", params: { key: "swappiness" } },
    { param: "key", params: { key: "vm..x" } },
    { param: "key", params: { key: "vm/../../x" } },
    { param: "key", params: { key: "net.ipv4.conf.*.rp_filter" } },
    { param: "value", params: { value: "a\nb" } },
    { param: "value", params: { value: true } },
  ])("refuses the param $param: $params", ({ param, params }) => {
    expect(() => tell(params)).toThrow(`param "${param}"`);
  });
});

test("saves the value in a file that is read after Debian's 99-sysctl.conf at boot", () => {
  const call = sysctl({ key: "vm.swappiness", value: 10 });
  const [write] = explain(call, { running: "10", saved: absent, folder: directory, later: absent }).steps;
  const name = write?.step === "writeFile" ? (write.path.split("/").at(-1) ?? "") : "";
  expect(["99-sysctl.conf", name, "99-protect-links.conf"].toSorted()).toEqual([
    "99-protect-links.conf",
    "99-sysctl.conf",
    name,
  ]);
});
