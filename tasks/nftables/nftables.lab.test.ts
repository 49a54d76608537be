import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { hostname } from "../hostname/hostname.ts";
import { sysctl } from "../sysctl/sysctl.ts";
import { nftables } from "./nftables.ts";

let host: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => {
  host = await oneLabHost("nft-task");
});
afterAll(() => host.down());

const rules = (port: number): string => `chain input {
  type filter hook input priority filter; policy accept;
  tcp dport ${port} ip saddr != 10.0.0.0/8 counter drop comment "kept } out"
}`;
const table = (port: number): ReturnType<typeof nftables> => nftables({ table: "furrow", rules: rules(port) });

describe("nftables on a real host", () => {
  test("loads its table next to other tables, and recognizes it later", async () => {
    await host.sh("nft add table inet other; nft add chain inet other keep");
    expect(outcomes(await host.check(table(1)))).toEqual(["changed"]);
    expect(outcomes(await host.apply(table(1)))).toEqual(["changed"]);
    expect(outcomes(await host.apply(table(1)))).toEqual(["ok"]);
    expect(await host.sh("nft list tables")).toBe("table inet other\ntable inet furrow\n");
    expect(await host.sh("nft list table inet other")).toContain("chain keep");
  });

  test("replaces all rules in its table", async () => {
    expect(outcomes(await host.apply(table(2)))).toEqual(["changed"]);
    const listed = await host.sh("nft list table inet furrow");
    expect(listed).toContain("dport 2 ");
    expect(listed).not.toContain("dport 1 ");
    expect(outcomes(await host.apply(table(2)))).toEqual(["ok"]);
  });

  test("detects changes by others, and a missing table", async () => {
    await host.sh("nft add rule inet furrow input tcp dport 99 drop");
    expect(outcomes(await host.check(table(2)))).toEqual(["changed"]);
    expect(outcomes(await host.apply(table(2)))).toEqual(["changed"]);
    expect(await host.sh("nft list table inet furrow")).not.toContain("99");
    await host.sh("nft delete table inet furrow");
    expect(outcomes(await host.apply(table(2)))).toEqual(["changed"]);
  });

  test("recognizes its table after a boot, in which the host's own service loads the table", async () => {
    await host.sh("nft flush ruleset; nft -f /etc/nftables.conf");
    expect(outcomes(await host.apply(table(2)))).toEqual(["ok"]);
  });

  test("changes nothing in the kernel or on disk if the rules have a mistake", async () => {
    const before = await host.sh("cat /etc/nftables.d/*; nft list ruleset");
    const [end] = await host.apply(nftables({ table: "furrow", rules: "chain input { nonsense }" }));
    expect(end?.error?.code).toBe("E_REFUSED");
    expect(await host.sh("cat /etc/nftables.d/*; nft list ruleset")).toBe(before);
  });

  test("accepts sets that the rules themselves fill", async () => {
    const dynamic = nftables({
      table: "dyn",
      persist: false,
      rules: "set seen { type ipv4_addr; flags dynamic,timeout; timeout 1h; }\nchain c { update @seen { ip saddr }; }",
    });
    expect(outcomes(await host.apply(dynamic))).toEqual(["changed"]);
    await host.sh("nft add element inet dyn seen { 10.0.0.1 }");
    expect(outcomes(await host.apply(dynamic))).toEqual(["ok"]);
  });

  test("removes its table, but no other table", async () => {
    const gone = nftables({ table: "furrow", state: "absent" });
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["ok"]);
    await host.sh("nft -c -f /etc/nftables.conf");
    expect(await host.sh("nft list tables")).toBe("table inet filter\ntable inet dyn\n");
  });
});

describe("hostname and sysctl on a real host", () => {
  test("the name changes now, and the change survives a boot", async () => {
    const call = hostname({ name: "renamed.example" });
    expect(outcomes(await host.check(call))).toEqual(["changed"]);
    expect(outcomes(await host.apply(call))).toEqual(["changed"]);
    expect(outcomes(await host.apply(call))).toEqual(["ok"]);
    expect(await host.sh("uname -n; cat /etc/hostname")).toBe("renamed.example\nrenamed.example\n");
  });

  test("a parameter changes now, and the change survives a boot", async () => {
    const call = sysctl({ key: "net.ipv4.ip_forward", value: 1 });
    await host.sh("echo 0 >/proc/sys/net/ipv4/ip_forward");
    expect(outcomes(await host.check(call))).toEqual(["changed"]);
    expect(outcomes(await host.apply(call))).toEqual(["changed"]);
    expect(outcomes(await host.apply(call))).toEqual(["ok"]);
    await host.sh("echo 0 >/proc/sys/net/ipv4/ip_forward; /lib/systemd/systemd-sysctl");
    expect(await host.sh("cat /proc/sys/net/ipv4/ip_forward")).toBe("1\n");
    expect(outcomes(await host.apply(sysctl({ key: "net.ipv4.ip_local_port_range", value: "20000 60000" })))).toEqual([
      "changed",
    ]);
    expect(outcomes(await host.apply(sysctl({ key: "net.ipv4.ip_local_port_range", value: "20000 60000" })))).toEqual([
      "ok",
    ]);
    const [end] = await host.apply(sysctl({ key: "net.ipv4.ip_forward", value: "many" }));
    expect(end?.error?.code).toBe("E_STEP");
  });

  test("refuses rules that nft does not accept, in check mode and in the run, and writes nothing", async () => {
    const wrong = nftables({ table: "wrong", rules: "chain a { tcp dport no-such-service accept; }" });
    for (const [end] of [await host.check(wrong), await host.apply(wrong)]) {
      expect(end?.error?.failure.details).toEqual(["refused: not-accepted"]);
    }
    expect(await host.sh("ls /etc/nftables.d")).not.toContain("wrong");
  });
});
