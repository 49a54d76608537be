import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cloudInit, cloudInitKind } from "./cloud-init.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-cloudinit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const good = '{\n "v1": {\n  "datasource": "DataSourceNoCloud",\n  "errors": []\n }\n}\n';

test.each([
  { state: "absent", files: {} },
  { state: "running", files: { "run/cloud-init/status.json": "{}" } },
  { state: "running", files: { "bin/cloud-init": "" } },
  { state: "disabled", files: { "bin/cloud-init": "", "run/cloud-init/disabled": "" } },
  { state: "disabled", files: { "bin/cloud-init": "", "etc/cloud/cloud-init.disabled": "" } },
  { state: "done", files: { "run/cloud-init/result.json": good } },
  { state: "failed", files: { "run/cloud-init/result.json": good.replace("[]", '[\n "no such package"\n ]') } },
])("reads the state of cloud-init: $state", ({ state, files }) => {
  const root = mkdtempSync(join(folder, "root-"));
  for (const [path, text] of Object.entries({ "bin/none": "", ...files })) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  }
  const script = cloudInitKind.read([{ ...cloudInit(), number: 4 }]).replaceAll(/\/(run|etc)\//g, `${root}/$1/`);
  const env = { PATH: `/usr/bin:/bin:${root}/bin` };
  const output = execFileSync(
    "sh",
    ["-c", script.replaceAll("/run/cloud-init", `${root}/run/cloud-init`).replaceAll(`${root}${root}`, root)],
    { encoding: "utf8", env },
  );
  expect(output).toBe(`4 state=${state}\n`);
  const value = cloudInitKind.parse({ state }, cloudInit());
  expect(cloudInitKind.print?.(value, cloudInit())).toEqual({ state });
});
