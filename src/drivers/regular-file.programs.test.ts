import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readKubeconfig } from "./kubeconfig/kubeconfig.ts";
import { kubeconfigFileDriver } from "./kubeconfig-file.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-regular-file-"));
const at = (name: string): string => join(folder, name);
const signal = new AbortController().signal;

beforeAll(() => {
  execFileSync("mkfifo", [at("fifo")]);
  symlinkSync(at("fifo"), at("link"));
  mkdirSync(at("directory"));
  writeFileSync(at("large"), "");
  truncateSync(at("large"), 4 * 2 ** 20 + 1);
});
afterAll(() => rmSync(folder, { recursive: true }));

const cases = [
  ["a FIFO", at("fifo"), "it is a FIFO, not a regular file"],
  ["a link to a FIFO", at("link"), "it is a FIFO, not a regular file"],
  ["/dev/zero", "/dev/zero", "it is a character device, not a regular file"],
  ["a directory", at("directory"), "it is a directory, not a regular file"],
  ["a file of more than 4 MiB", at("large"), "it is larger than 4 MiB: 4194305 bytes"],
] as const;

describe("a kubeconfig that would hang furrow, or fill its memory, is refused at once:", () => {
  test.each(cases)("%s", async (_what, path, current) => {
    const failure = { what: `${path} on the controller cannot be used as a kubeconfig`, current };
    await expect(readKubeconfig(path)).rejects.toMatchObject({ code: "E_FILE", failure });
    await expect(kubeconfigFileDriver.read({ path }, signal)).rejects.toMatchObject({ code: "E_FILE", failure });
  });
});

describe("so is a file that a kubeconfig names:", () => {
  test.each(cases)("%s", async (_what, path, current) => {
    for (const [of, name] of [
      ["cluster", "certificate-authority"],
      ["user", "client-certificate"],
      ["user", "client-key"],
      ["user", "tokenFile"],
    ] as const) {
      const config = {
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
        clusters: [
          { name: "c", cluster: { server: "https://203.0.113.10:6443", ...(of === "cluster" && { [name]: path }) } },
        ],
        users: [{ name: "c", user: of === "user" ? { [name]: path } : {} }],
      };
      writeFileSync(at("config"), JSON.stringify(config));
      await expect(readKubeconfig(at("config"))).rejects.toMatchObject({
        failure: { current: `its ${name} cannot be read: ${current}` },
      });
    }
  });
});
