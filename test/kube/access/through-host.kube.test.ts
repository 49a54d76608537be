import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { playbookOf, type Seen, Screens } from "../../screens/screens.ts";
import { makeKey, removeFolders, startSshd, temporaryFolder, type Sshd } from "../../transport/sshd.ts";
import { ApiServer } from "../server/api-server.ts";

/** A name that only the host resolves. */
const privateName = "api.private.test";
const here = new Screens("", "");
const folder = temporaryFolder();
const key = makeKey(folder, "id");
let server: ApiServer;
let gate: Sshd;
let closed: Sshd;

beforeAll(async () => {
  const names = join(folder, "hosts");
  writeFileSync(names, `127.0.0.1 localhost ${privateName}\n`);
  const world = `mount --bind ${names} /etc/hosts`;
  [server, gate, closed] = await Promise.all([
    ApiServer.up({ onlyBuiltIn: true }),
    startSshd({ authorizedKeys: [key], world }),
    startSshd({ authorizedKeys: [key], world, config: ["AllowTcpForwarding no"] }),
  ]);
  server.kubectl(["create", "namespace", "shop"]);
  here.put(
    "inventory.ts",
    `import { inventory } from "furrow";
const at = { address: "127.0.0.1", identityFile: "${key}", hostKeyPolicy: "off" as const };
export default inventory({
  hosts: {
    local: { transport: "local" },
    gate: { ...at, port: ${gate.port} },
    closed: { ...at, port: ${closed.port} },
  },
});\n`,
  );
});
afterAll(async () => {
  await Promise.all([server.down(), gate.stop(), closed.stop()]);
  removeFolders();
  here.remove();
});

interface Kubeconfig {
  readonly clusters: { cluster: Record<string, unknown> }[];
}

let extension: Record<string, unknown> = {};
let other: Record<string, unknown> = {};
beforeEach(() => {
  extension = {};
  other = {};
});

/** Runs a playbook that manages one ConfigMap, at the cluster's private address. */
async function furrow(command: "check" | "run", data: object): Promise<Seen> {
  const config = JSON.parse(readFileSync(server.kubeconfig(), "utf8")) as Kubeconfig;
  const cluster = config.clusters[0]!.cluster;
  const { port } = new URL(cluster["server"] as string);
  Object.assign(cluster, {
    server: `https://${privateName}:${port}`,
    "tls-server-name": "kubernetes",
    extensions: [{ name: "furrow", extension }],
    ...other,
  });
  writeFileSync(server.kubeconfig("private"), JSON.stringify(config));
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "colors", namespace: "shop" }, data };
  const params = { kubeconfig: server.kubeconfig("private"), fieldManager: "shop", object };
  here.put(
    "site.ts",
    playbookOf(`kubeObject(${JSON.stringify(params)}),`, { imports: "kubeObject" }).replace('"all"', '"local"'),
  );
  return here.run([command, "site.ts", "-i", "inventory.ts", "--no-types"], { NO_COLOR: "1" });
}

describe("a cluster whose address only a host can reach", () => {
  test("is checked, changed, and found correct in a second run, through the host's SSH connection", async () => {
    extension = { through: "gate" };
    const check = await furrow("check", { red: "#f00" });
    expect(check.text).toContain("1 would change");
    const first = await furrow("run", { red: "#f00" });
    expect(first.text).toContain("1 changed, 0 ok");
    const second = await furrow("run", { red: "#f00" });
    expect(second.text).toContain("0 changed, 1 ok");
    expect([check.code, first.code, second.code]).toEqual([0, 0, 0]);
    expect(server.kubectl(["get", "configmap", "colors", "--namespace=shop", "--output=jsonpath={.data}"])).toBe(
      '{"red":"#f00"}',
    );
  });

  test("is not found without the host", async () => {
    other = { extensions: [] };
    const { text, code } = await furrow("check", {});
    expect([text, code]).toEqual([expect.stringContaining("its name does not resolve"), 1]);
  });

  test("is not reached through a host that refuses to open connections, and the error names the host", async () => {
    extension = { through: "closed" };
    const { text, code } = await furrow("run", {});
    expect(text).toMatch(/through the host "closed": .*cannot connect to api\.private\.test:\d+: ./);
    expect(code).not.toBe(0);
  });

  test("is not reached if the extension is wrong, or if the kubeconfig also names a proxy", async () => {
    extension = { trough: "gate" };
    expect((await furrow("check", {})).text).toContain("its extensions.furrow");
    extension = { through: "gate" };
    other = { "proxy-url": "http://127.0.0.1:1" };
    expect((await furrow("check", {})).text).toContain("has a proxy-url and is reached through a host");
  });
});
