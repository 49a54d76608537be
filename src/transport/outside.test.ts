import { afterEach, expect, test } from "vitest";
import { openContent } from "./frame/upload/content.ts";
import { useOutside } from "./outside.ts";

afterEach(() => useOutside());

test("reads files from the replacement that a test provides for this machine", async () => {
  const asked: unknown[] = [];
  useOutside({
    open: (path) => {
      asked.push(path);
      return Promise.reject(Object.assign(new Error("not in this world"), { code: "ENOENT" }));
    },
  });
  const step = { step: "upload", from: "/etc/hostname", path: "/x", sha256: "0" } as const;
  await expect(openContent(step)).rejects.toThrow("/etc/hostname cannot be read");
  expect(asked).toEqual(["/etc/hostname"]);
  useOutside();
  const content = await openContent({ ...step, from: import.meta.filename });
  expect(content).toMatchObject({ sha256: "0" });
  await content.close();
});
