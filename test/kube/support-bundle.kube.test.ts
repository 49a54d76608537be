import { afterAll, beforeAll, expect, test } from "vitest";
import { supportBundleSchema } from "../../roles/support-bundle/bundle.ts";
import { supportBundle } from "../../roles/support-bundle/role.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply, play, read } from "./actors.ts";
import { bundleController } from "./bundle-actors.ts";
import { supportBundleKind } from "./backup-kinds.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;

interface Bundles {
  readonly items: readonly object[];
}
const bundles = (): Bundles => read(server, "--namespace=harvester-system", "supportbundles") as Bundles;

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "harvester-system"]);
  const metadata = { name: "vip", namespace: "harvester-system" };
  apply(server, supportBundleKind, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { ip: "192.168.10.10" } });
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  controllers = play(server, stop.signal, bundleController);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const bundle = (vars: object = {}) =>
  supportBundle(
    supportBundleSchema.parse({
      kubeconfig: server.kubeconfig(),
      name: "issue-1",
      description: "no network",
      deadlineSeconds: 120,
      ...vars,
    }),
  );
const outcomes = (ends: readonly TaskEnd[]): string[] => ends.map(({ title, outcome }) => `${title}: ${outcome}`);

test("is created once and waited for; check mode says the same, a second run changes nothing, and both say where the bundle is", async () => {
  const checked = await host.check(bundle());
  expect(bundles().items).toEqual([]);
  const applied = await host.apply(bundle());
  expect(applied.map(({ outcome }) => outcome)).toEqual(["ok", "changed", "ok"]);
  expect(outcomes(checked)).toEqual(outcomes(applied));
  const url = "https://192.168.10.10/v1/harvester/supportbundles/issue-1/download?retain=true";
  expect(applied.at(-1)?.notes[0]).toBe(`supportbundle_issue-1.zip (1.0 MiB): ${url}`);
  const before = bundles();
  const again = await host.apply(bundle());
  expect(again.map(({ outcome }) => outcome)).toEqual(["ok", "skipped", "ok"]);
  expect(again.at(-1)?.notes[0]).toContain(url);
  expect(bundles()).toEqual(before);
});

test("is refused, and nothing changes, if its name is taken", async () => {
  const before = bundles();
  for (const mode of ["check", "apply"] as const) {
    const ends = await host[mode](bundle({ description: "slow disks" }));
    expect(ends.map(({ error }) => error?.message)).toEqual([expect.stringContaining("is for something else")]);
  }
  expect(bundles()).toEqual(before);
});

test("that fails is reported with Harvester's own message, by the run and by a later check", async () => {
  const broken = () => bundle({ name: "issue-2", description: "broken" });
  const words = "fail to generate supportbundle: timeout";
  expect(JSON.stringify((await host.apply(broken())).at(-1)?.error)).toContain(words);
  expect((await host.check(broken())).at(-1)?.error?.message).toContain(words);
});
