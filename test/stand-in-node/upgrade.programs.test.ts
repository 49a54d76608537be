import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { upgradeSchema } from "../../roles/cluster-answers/harvester-objects.ts";
import { failureText, progressText } from "../../roles/cluster-upgrade/attempts.ts";
import { volumeOf } from "../guards/examples.ts";
import { guestFolder } from "./userland.ts";

/**
 * Upgrades a cluster of three nodes step by step, and prints the upgrade after each step; or prints why the webhook
 * refuses it.
 */
const script = `
import copy, json, sys
sys.path.insert(0, sys.argv[1])
given = json.load(open(sys.argv[2]))
import cluster
cluster.STORE = sys.argv[2] + ".store"
import upgrade
known = cluster.Cluster()
for number in (1, 2, 3):
    known.hear({"name": f"harvester-{number}", "role": "default", "address": "192.0.2.1", "secret": str(number)}, True)
known.settings["server-version"] = "v1.8.1"
known.objects.update(given["objects"])
known.members["harvester-1"].update(given.get("member", {}))
wish = {"metadata": {"name": "u", "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"version": "v1.8.2"}}
refused = upgrade.refusal(known, wish)
seen = []
while not refused and upgrade.advance(known, wish):
    seen.append(copy.deepcopy(wish))
    if given.get("failsAt") == upgrade.label(wish):
        wish["status"]["nodeStatuses"]["harvester-2"] = {"state": "Failed", "reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"}
print(json.dumps({"refused": refused, "seen": seen, "version": known.settings["server-version"]}))
`;

const folder = mkdtempSync(join(tmpdir(), "furrow-stand-in-upgrade-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly refused: readonly [number, string] | null;
  readonly seen: readonly object[];
  readonly version: string;
}

const volumes = "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/volumes";
const [upgrades, versions] = ["upgrades", "versions"].map(
  (kind) => `/apis/harvesterhci.io/v1beta1/namespaces/harvester-system/${kind}`,
) as [string, string];

/** Runs the script while a server offers the image. */
async function run(
  { isoChecksum, path = "/iso" }: { isoChecksum?: string; path?: string } = {},
  more: object = {},
  objects: Readonly<Record<string, object>> = {},
): Promise<Ran> {
  const image = Buffer.from("an image");
  const server = createServer(({ url }, response) => response.writeHead(url === "/iso" ? 200 : 404).end(image));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const spec = {
    isoURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    isoChecksum: isoChecksum ?? createHash("sha512").update(image).digest("hex"),
  };
  const version = { "v1.8.2": { metadata: { name: "v1.8.2" }, spec } };
  const file = join(folder, "given");
  writeFileSync(file, JSON.stringify({ objects: { [versions]: version, ...objects }, ...more }));
  const { stdout } = await promisify(execFile)("/usr/bin/python3", ["-B", "-c", script, guestFolder, file]);
  server.close();
  rmSync(`${file}.store`, { force: true });
  return JSON.parse(stdout) as Ran;
}

const last = ({ seen }: Ran): ReturnType<typeof upgradeSchema.parse> => upgradeSchema.parse(seen.at(-1));

describe.skipIf(!existsSync("/usr/bin/python3"))("an upgrade of the stand-in", () => {
  test("takes the nodes one after the other through Harvester's states, and ends with the new version", async () => {
    const ran = await run();
    const states = ran.seen.map((one) => progressText(upgradeSchema.parse(one)));
    expect(states.slice(0, 3)).toEqual([
      "u: LoggingInfraPrepared",
      "u: PreparingRepo",
      "u: PreparingNodes, harvester-1 Images preloading, harvester-2 Images preloading, harvester-3 Images preloading",
    ]);
    expect(states).toContain(
      "u: UpgradingNodes, harvester-1 Succeeded, harvester-2 Pre-drained, harvester-3 Images preloaded",
    );
    expect(last(ran)).toMatchObject({ outcome: "Succeeded" });
    expect(ran.version).toBe("v1.8.2");
  });

  test.each([
    [
      "a wrong digest",
      { isoChecksum: "a".repeat(128) },
      "ImageReady: ImportFailed: the checksum of the image is wrong",
    ],
    ["an image that the server does not have", { path: "/none" }, "HTTP Error 404"],
  ])("fails because of %s, and the version stays the same", async (_name, given, says) => {
    const ran = await run(given);
    expect(last(ran).outcome).toBe("Failed");
    expect(failureText(last(ran))).toContain(says);
    expect(ran.version).toBe("v1.8.1");
  });

  test("fails with the message of a node's job", async () => {
    const ran = await run({}, { failsAt: "UpgradingNodes" });
    expect(last(ran).outcome).toBe("Failed");
    expect(failureText(last(ran))).toBe(
      "node harvester-2: BackoffLimitExceeded: Job has reached the specified backoff limit",
    );
  });

  test.each<[string, Readonly<Record<string, object>>, object, string]>([
    ["an unknown version", { [versions]: {} }, {}, "version v1.8.2 is not found"],
    ["a second upgrade", { [upgrades]: { v: { metadata: { name: "v" } } } }, {}, 'previous upgrade "v" completes'],
    ["degraded volumes", { [volumes]: { a: volumeOf("a", "attached", "degraded") } }, {}, "degraded volumes"],
    ["a cordoned node", {}, { member: { unschedulable: true } }, "node harvester-1 is unschedulable"],
  ])("is refused because of %s", async (_name, objects, more, says) => {
    expect((await run({}, more, objects)).refused?.[1]).toContain(says);
  });

  test("refuses a version whose digest is not a SHA-512", () => {
    const said = execFileSync(
      "/usr/bin/python3",
      [
        "-B",
        "-c",
        `import sys; sys.path.insert(0, "${guestFolder}"); import upgrade; print(upgrade.refused_version({"spec": {"isoChecksum": "x"}}))`,
      ],
      { encoding: "utf8" },
    );
    expect(said.trim()).toBe("invalid isoChecksum x");
  });
});
