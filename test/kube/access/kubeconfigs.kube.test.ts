import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as t from "../../../tasks/index.ts";
import { taskHost } from "../../tasks/on-host.ts";
import { ApiServer } from "../server/api-server.ts";
import { kubectlIn } from "../server/processes.ts";

let server: ApiServer;
const host = taskHost();

beforeAll(async () => {
  server = await ApiServer.up({ onlyBuiltIn: true });
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "create", "patch"] }];
  const mayAct = [
    { apiGroups: [""], resources: ["users", "groups"], verbs: ["impersonate"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["userextras/example.com/scopes"], verbs: ["impersonate"] },
  ];
  const bound = (name: string, kind: string, user: string): object => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind, name: user, apiGroup: "rbac.authorization.k8s.io" }],
  });
  const role = (name: string, own: object): object => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    rules: own,
  });
  const namespaces = { apiGroups: [""], resources: ["namespaces"], verbs: ["get"] };
  const items = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
    role("configs", [...rules, namespaces]),
    bound("configs", "Group", "writers"),
    role("actor", mayAct),
    bound("actor", "User", "front"),
  ];
  server.kubectl(["apply", "--filename=-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
});
afterAll(() => server.down());

/**
 * Writes a kubeconfig for another user: that of `guest`, modified. Returns the kubeconfig's name in the server's
 * folder.
 */
function write(
  name: string,
  change: (user: Record<string, unknown>, cluster: Record<string, unknown>) => void,
): string {
  const config = JSON.parse(readFileSync(server.kubeconfig("guest"), "utf8")) as {
    users: { user: Record<string, unknown> }[];
    clusters: { cluster: Record<string, unknown> }[];
  };
  change(config.users[0]!.user, config.clusters[0]!.cluster);
  writeFileSync(server.kubeconfig(name), JSON.stringify(config));
  return `${name}.kubeconfig`;
}

const pem = (name: string): string => readFileSync(join(server.folder, name), "utf8");
const base64 = (name: string): string => Buffer.from(pem(name)).toString("base64");

async function applied(kubeconfig: string, name: string): Promise<string> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop" }, data: { a: "1" } };
  const [end] = await host.apply(
    t.kubeObject({ kubeconfig: join(server.folder, kubeconfig), fieldManager: "shop", object }),
  );
  return [end?.outcome, end?.error?.message, end?.error?.failure.current].filter(Boolean).join(" ");
}

interface AuditEvent {
  readonly userAgent: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: object;
}

/** The user and the impersonated user in a program's last request. */
function lastUser(agent: RegExp): Pick<AuditEvent, "user" | "impersonatedUser"> | undefined {
  const events = pem("audit.log").split("\n").slice(0, -1);
  const last = events.map((line) => JSON.parse(line) as AuditEvent).findLast(({ userAgent }) => agent.test(userAgent));
  return last && { user: last.user, impersonatedUser: last.impersonatedUser! };
}

const acting = {
  as: "jane",
  "as-groups": ["writers", "system:authenticated"],
  "as-user-extra": { "example.com/scopes": ["one", "two"] },
};

describe("a kubeconfig with a user to act as", () => {
  test("makes changes as that user, as kubectl does", async () => {
    const name = write("acting", (user) =>
      Object.assign(user, acting, {
        "client-certificate-data": base64("front.crt"),
        "client-key-data": base64("front.key"),
      }),
    );
    expect(await applied(name, "by-jane")).toBe("changed");
    const own = lastUser(/^furrow$/);
    expect(own).toMatchObject({
      user: { username: "front" },
      impersonatedUser: { username: "jane", groups: acting["as-groups"], extra: acting["as-user-extra"] },
    });
    // This release of kubectl takes only the user's name from the kubeconfig; groups must be on the command line.
    kubectlIn(server.folder, "acting.kubeconfig", ["get", "configmap", "by-jane", "--namespace=shop"]);
    expect(lastUser(/^kubectl/)).toMatchObject({ user: { username: "front" }, impersonatedUser: { username: "jane" } });
  });

  test("has no more rights than that user, even if its own user may do everything", async () => {
    const name = write("less", (user) =>
      Object.assign(user, {
        as: "nobody",
        "client-certificate-data": base64("admin.crt"),
        "client-key-data": base64("admin.key"),
      }),
    );
    expect(await applied(name, "by-nobody")).toMatch(/^failed .*User "nobody" cannot/);
  });

  test("is refused by the server if its own user may not act as others", async () => {
    const name = write("more", (user) => Object.assign(user, { as: "admin", "as-groups": ["system:masters"] }));
    expect(await applied(name, "by-guest")).toMatch(/^failed .*User "guest" cannot impersonate/);
  });
});

describe("a kubeconfig with a program", () => {
  test("logs in, and passes the program the same information as kubectl does", async () => {
    const pair = { clientCertificateData: pem("admin.crt"), clientKeyData: pem("admin.key") };
    const apiVersion = "client.authentication.k8s.io/v1beta1";
    const program = join(server.folder, "login");
    const credential = JSON.stringify({ kind: "ExecCredential", apiVersion, status: pair });
    writeFileSync(
      program,
      `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> ${program}.told\ncat <<'END'\n${credential}\nEND\n`,
    );
    chmodSync(program, 0o755);
    const name = write("program", (user, cluster) => {
      for (const key of Object.keys(user)) delete user[key];
      user["exec"] = { apiVersion, command: "./login", provideClusterInfo: true };
      cluster["extensions"] = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "shop" } }];
    });
    expect(await applied(name, "by-program")).toBe("changed");
    expect(lastUser(/^furrow$/)).toMatchObject({ user: { username: "admin" } });
    kubectlIn(server.folder, name, ["get", "configmap", "by-program", "--namespace=shop"]);
    const told = pem("login.told").trim().split("\n");
    expect(told).toHaveLength(2);
    const [ours, theirs] = told.map((line) => JSON.parse(line) as { spec: object });
    // This release of kubectl does not yet report whether there is a terminal.
    expect(ours).toEqual({ ...theirs, spec: { ...theirs?.spec, interactive: false } });
  });
});
