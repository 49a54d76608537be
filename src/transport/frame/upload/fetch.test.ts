import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import type { Channel } from "../../../core/host/transport.ts";
import { useOutside } from "../../outside.ts";
import { fetchFile } from "./fetch.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-fetch-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => useOutside());

/** A shell that answers a fetch with the text "content\n". */
function shell(): Channel {
  let out: (data: Uint8Array) => unknown = () => undefined;
  const { promise: ended, resolve: end } = Promise.withResolvers<{ code: number | undefined; signal?: string }>();
  return {
    write: async (data: Uint8Array) => {
      await out(Buffer.from(`${/\bf[0-9a-f]{16}\b/.exec(Buffer.from(data).toString("utf8"))?.[0] ?? ""}\ncontent\n`));
    },
    end: () => end({ code: 0 }),
    destroy: () => end({ code: undefined, signal: "SIGHUP" }),
    onStdout: (listener: (data: Uint8Array) => unknown) => (out = listener),
    onStderr: () => {},
    ended,
  } as unknown as Channel;
}

const fetchTo = (to: string): Promise<void> =>
  fetchFile(
    shell(),
    { step: "fetch", path: "/etc/hostname", to, mode: "0600" },
    { host: "web1", signal: new AbortController().signal, stallMs: 60_000 },
  );

test("a missing directory followed by .. in a path does not change which file the path names", async () => {
  await fetchTo(`${folder}/f/../fx/copy`);
  expect(readFileSync(join(folder, "fx", "copy"), "utf8")).toBe("content\n");
});

test("a parent that is a file causes an E_FILE with a hint", async () => {
  writeFileSync(join(folder, "file"), "");
  await expect(fetchTo(join(folder, "file", "copy"))).rejects.toMatchObject({
    code: "E_FILE",
    failure: {
      what: `${folder}/file/copy on the controller cannot be written`,
      hint: "Choose a path below a directory",
    },
  });
});

test("a copy that cannot be moved into place causes an E_FILE with a hint, and no files are left over", async () => {
  mkdirSync(join(folder, "own"));
  const locked: typeof rename = () => {
    throw Object.assign(new Error("EPERM: operation not permitted, rename"), { code: "EPERM" });
  };
  useOutside({ rename: locked });
  await expect(fetchTo(join(folder, "own", "copy"))).rejects.toMatchObject({
    code: "E_FILE",
    failure: {
      current: "EPERM: operation not permitted, rename",
      hint: "Remove the immutable attribute that lsattr shows, or choose another path",
    },
  });
  expect(() => readFileSync(join(folder, "own", "copy.furrow"))).toThrow("ENOENT");
});
