import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  crontab,
  digest,
  entries,
  file,
  fileTail,
  mountAt,
  program,
  removal,
  tree,
  user,
} from "../../src/authoring.ts";
import { diskImage, filtered, nftTable, unpacked } from "../../src/facts/catalogue.ts";
import type { Question } from "../../src/core/facts/fact.ts";
import { isFurrowError } from "../../src/core/errors.ts";
import { readKind } from "../../src/testing/read-kind.ts";
import * as t from "../../tasks/index.ts";
import { taskHost } from "../tasks/on-host.ts";

const alice = ["runuser", "-u", "nobody", "--", "sh"];
const shells = [["sh"], ["bash"], ["busybox", "sh"]];
let folder = "";

/** Another user's home, which only its owner may read. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-unreadable-"));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "bob/sub"), { recursive: true });
  for (const name of ["bob/right", "bob/sub/f", "secret"])
    writeFileSync(join(folder, name), "right\n", { mode: 0o644 });
  chmodSync(join(folder, "secret"), 0o600);
  chmodSync(join(folder, "bob"), 0o700);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a correct file in another user's home", () => {
  test("is reported as unreadable by check and run, with a hint about become", async () => {
    const host = taskHost(alice);
    for (const mode of ["check", "apply"] as const) {
      const [end] = await host[mode](t.file({ path: join(folder, "bob/right"), content: "right\n", mode: "0644" }));
      expect(end?.outcome).toBe("failed");
      expect(end?.error?.code).toBe("E_FACT");
      expect(end?.error?.failure).toMatchObject({
        what: `${join(folder, "bob/right")} cannot be read`,
        current: "Permission denied",
      });
      expect(end?.error?.failure.hint).toMatch(/become/);
    }
  });
});

const questions: Readonly<Record<string, () => Question>> = {
  file: () => file(join(folder, "bob/right")),
  "file that does not exist": () => file(join(folder, "bob/none")),
  "text of a file": () => file(join(folder, "secret"), ["text"]),
  "hash of a file": () => file(join(folder, "secret"), ["sha256"]),
  "seal of a file": () => file(join(folder, "secret"), ["hidden"], { secret: true }),
  digest: () => digest(join(folder, "bob/right"), "sha256"),
  "digest of a file": () => digest(join(folder, "secret"), "sha256"),
  tree: () => tree(join(folder, "bob/sub")),
  "tree with a part that cannot be read": () => tree(folder),
  "tree that may not be entered": () => tree(join(folder, "bob")),
  entries: () => entries(join(folder, "bob/sub")),
  diskImage: () => diskImage(join(folder, "bob/right")),
  "disk image": () => diskImage(join(folder, "secret")),
  fileTail: () => fileTail(join(folder, "bob/right"), 3),
  "end of a file": () => fileTail(join(folder, "secret"), 3),
  filtered: () => filtered(join(folder, "bob/right"), ["cat"]),
  "filtered file": () => filtered(join(folder, "secret"), ["cat"]),
  unpacked: () => unpacked(join(folder, "bob/sub"), "/a.tar"),
  "mount point's entries": () => mountAt(join(folder, "bob/sub"), ["entries"]),
  "entries of a mount point": () => mountAt(join(folder, "bob"), ["entries"]),
  program: () => program(join(folder, "bob/right")),
  removal: () => removal(join(folder, "bob/right")),
  password: () => user("root", ["password"]),
  crontab: () => crontab("root"),
  nftTable: () => nftTable("inet", "furrow-none", false),
};

describe.each(shells)("without the right to read, in %s", (...shell) => {
  test.each(Object.keys(questions))("%s is unreadable, not absent", async (name) => {
    const question = questions[name]?.() as Question;
    const [said] = await readKind([question], { shell: ["runuser", "-u", "nobody", "--", ...shell, "-c"] }).catch(
      (error: unknown) => {
        if (isFurrowError(error) && error.code === "E_FACT") return [{ unreadable: error.message }];
        throw error;
      },
    );
    expect(said).toHaveProperty("unreadable", expect.any(String));
  });
});
