import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kindOf } from "../../src/core/facts/kind.ts";
import { readKind } from "../../src/testing/read-kind.ts";
import { firewalld as firewalldFact } from "../../src/facts/catalogue.ts";
import { aptSources } from "../../src/lab/image/apt-sources.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost, watchTasks } from "../../test/tasks/on-host.ts";
import { outcomes } from "../../test/tasks/one-lab-host.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { firewalld } from "./firewalld.ts";

/** Starts a process with its own network namespace, in which only firewalld's rules exist. */
const holdNetwork = "setsid unshare --net sleep 1000 >/dev/null 2>&1 </dev/null & echo $!";

let root: PackageRoot;
let host: TaskHost;
let shell: readonly string[];
beforeAll(async () => {
  root = await openPackageRoot("debian");
  const pid = (await root.sh(holdNetwork)).output.trim();
  shell = [...root.enter, "nsenter", `--net=/proc/${pid}/ns/net`];
  host = taskHost([...shell, "sh"]);
}, 900_000);
afterAll(() => root.close());

/**
 * Installs firewalld from the machine's own mirrors, and starts dbus, which clients use to ask whether firewalld is
 * running.
 */
async function install(): Promise<void> {
  const { lines, options } = await aptSources();
  const settings = options
    .map((line) => line.replace(/;$/, ""))
    .flatMap((line) => ["-o", line.replace(/ "?/, "=").replace(/"$/, "")]);
  const script = `printf '%s\\n' "$SOURCES" >/etc/apt/sources.list; apt-get -q update "$@" && DEBIAN_FRONTEND=noninteractive apt-get -qy "$@" install --no-install-recommends firewalld dbus netbase nftables busybox`;
  const { code, output } = await root.sh(`SOURCES='${lines.join("\n")}'; ${script}`, ...settings);
  if (code !== 0) throw new Error(`firewalld was not installed: ${output}`);
  await host.sh("mkdir -p /run/dbus; dbus-daemon --system --fork");
}

/** Starts firewalld in its own network namespace; nothing starts units in this root. */
async function start(): Promise<void> {
  await host.sh(`setsid firewalld --nofork --nopid >/var/log/firewalld.out 2>&1 </dev/null &
for try in $(seq 100); do firewall-cmd --state >/dev/null 2>&1 && exit 0; sleep 0.2; done; cat /var/log/firewalld.out; exit 1`);
}

const rule = 'rule family="ipv4" source address="192.0.2.0/24" port port="8443" protocol="tcp" accept';
const call = firewalld({ services: ["http"], ports: ["6443/tcp"], rules: [rule] });
const reasons = async (node: Node): Promise<(string | undefined)[]> =>
  (await host.check(node)).map(({ error }) => error?.failure.what);

describe("firewalld on a real host", () => {
  test("reports whether firewalld is missing or not running, and does nothing if it is optional", async () => {
    const optional = firewalld({ services: ["http"], optional: true });
    expect(await reasons(call)).toEqual([expect.stringContaining("firewalld is not installed")]);
    expect(outcomes(await host.apply(optional))).toEqual(["ok"]);
    await install();
    expect(await reasons(call)).toEqual([expect.stringContaining("not running")]);
    const [end] = await host.apply(optional);
    expect([end?.outcome, end?.notes]).toEqual(["ok", [expect.stringContaining("not running")]]);
    await start();
  }, 900_000);

  test("allows services, ports and rich rules, now and after a reload", async () => {
    expect(outcomes(await host.check(call))).toEqual(["changed"]);
    expect(await host.sh("firewall-cmd --list-services")).not.toContain("http");
    expect(outcomes(await host.apply(call))).toEqual(["changed"]);
    expect(outcomes(await host.apply(call))).toEqual(["ok"]);
    await host.sh("firewall-cmd -q --reload");
    expect(await host.sh("firewall-cmd --list-ports; firewall-cmd --list-rich-rules")).toBe(`6443/tcp\n${rule}\n`);
    expect(outcomes(await host.apply(call))).toEqual(["ok"]);
    expect(await host.sh("nft list ruleset")).toContain("6443");
  });

  test("repairs only the running or only the permanent configuration if the other is correct", async () => {
    await host.sh("firewall-cmd -q --remove-port=6443/tcp; firewall-cmd -q --add-port=7000/tcp");
    const [end] = await host.apply(call);
    expect(end?.steps).toEqual(["firewall-cmd --zone=public --add-port=6443/tcp"]);
    await host.sh("firewall-cmd -q --permanent --remove-service=http");
    const [watched] = await watchTasks([...shell, "sh"], [call]);
    expect([watched?.outcome, watched?.error]).toEqual(["changed", undefined]);
    // Changes that others made only to the running configuration are kept.
    expect(await host.sh("firewall-cmd --list-ports")).toContain("7000/tcp");
  });

  test("removes the services, ports and rules again, and nothing else", async () => {
    const gone = firewalld({ services: ["http"], ports: ["6443/tcp"], rules: [rule], state: "absent" });
    expect(outcomes(await host.check(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["ok"]);
    expect(await host.sh("firewall-cmd --permanent --list-services; firewall-cmd --list-ports")).toBe(
      "dhcpv6-client ssh\n7000/tcp\n",
    );
  });

  test("opens and closes ports that a range contains or overlaps", async () => {
    await host.sh("for on in '' --permanent; do firewall-cmd -q $on --add-port=9000-9010/tcp; done");
    expect(outcomes(await host.apply(firewalld({ ports: ["9005/tcp"] })))).toEqual(["ok"]);
    const range = firewalld({ ports: ["9008-9020/tcp"] });
    expect(outcomes(await host.apply(range))).toEqual(["changed"]);
    expect(outcomes(await host.apply(range))).toEqual(["ok"]);
    const part = firewalld({ ports: ["9009-9012/tcp", "9000/tcp"], state: "absent" });
    expect(outcomes(await host.check(part))).toEqual(["changed"]);
    expect(outcomes(await host.apply(part))).toEqual(["changed"]);
    expect(outcomes(await host.apply(part))).toEqual(["ok"]);
    expect(await host.sh("firewall-cmd --list-ports")).toContain("9001-9008/tcp 9013-9020/tcp");
    expect(outcomes(await host.apply(firewalld({ ports: ["9000-9020/tcp"], state: "absent" })))).toEqual(["changed"]);
  });

  test("refuses a zone that does not exist, or is not loaded yet", async () => {
    const inZone = firewalld({ zone: "nodes", services: ["http"] });
    expect(await reasons(inZone)).toEqual([expect.stringContaining("has no zone nodes")]);
    await host.sh("firewall-cmd -q --permanent --new-zone=nodes");
    expect(await reasons(inZone)).toEqual([expect.stringContaining("no zone nodes in its running configuration")]);
    await host.sh("firewall-cmd -q --reload");
    expect(outcomes(await host.apply(inZone))).toEqual(["changed"]);
  });

  test("reads the same fact in every shell, and prints a fact as the lines from which it was parsed", async () => {
    await host.sh("firewall-cmd -q --add-rich-rule='rule service name=\"tftp\" accept'");
    const questions = [firewalldFact(""), firewalldFact("nodes"), firewalldFact("nosuch")];
    const [first, ...others] = await Promise.all(
      ["sh", "bash", "busybox sh"].map((name) => readKind(questions, { shell: [...shell, ...name.split(" "), "-c"] })),
    );
    for (const other of others) expect(other).toEqual(first);
    const { print } = kindOf("firewalld");
    first?.forEach(({ value, lines }, at) => expect(print?.(value, questions[at]!)).toEqual(lines));
    expect(first?.[1]?.value).toMatchObject({ zone: "nodes", runtime: { services: { http: true } } });
  });
});
