import { describe, expect, test } from "vitest";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { flagsOf, mountAt, mountKind, type MountState } from "./mount.ts";

describe.each([{ shell: ["sh", "-c"] }, { shell: ["bash", "-c"] }])("the mount kind under $shell.0", ({ shell }) => {
  test("distinguishes mounts from directories, and prints each value back as the lines that it was read from", async () => {
    const questions = [
      mountAt("/", ["entries"]),
      mountAt("/proc"),
      mountAt("/nowhere at all", ["entries"]),
      mountAt("/usr", ["entries"]),
    ];
    const answers = await readKind(questions, { shell });
    const [root, proc, nowhere, usr] = answers.map(({ value }) => value as MountState);
    expect(root).toMatchObject({ mounted: true, entries: "some", flags: { ro: false } });
    expect(proc).toMatchObject({ mounted: true, fileSystem: "proc", source: "proc" });
    expect(nowhere).toMatchObject({ mounted: false, source: "", entries: "absent" });
    expect(usr?.entries).toBe("some");
    const printed = questions.map((question, index) =>
      mountKind.print?.(answers[index]?.value as MountState, question),
    );
    expect(printed).toEqual(answers.map(({ lines }) => lines));
  });
});

describe("a mount's prediction", () => {
  const before: MountState = {
    mounted: false,
    source: "",
    fileSystem: "",
    flags: flags(),
    automount: false,
    entries: "absent",
  };
  const want = { mounted: true, source: "/dev/sdb1", fileSystem: "ext4", flags: { ro: false } };

  test("affects the trees that show the mount; also everything below it, unless the path is known to be empty before and after", () => {
    const full = mountKind.predict?.(before, want, { user: "root" }) as MountState;
    expect(full.entries).toBe(knownAfterApply);
    const losses = [
      "mountUse:/mnt/a",
      "mountUse:/mnt",
      "mountUse:/",
      "mountUse:/mnt/a/**",
      "removal:/mnt/a",
      "removal:/mnt",
      "removal:/",
      "removal:/mnt/a/**",
      "tree:/mnt",
      "tree:/",
    ];
    expect(mountKind.touches?.("/mnt/a", before, full)).toEqual(["file:/mnt/a", "file:/mnt/a/**", ...losses]);
    const fresh = mountKind.predict?.(before, { ...want, entries: "none" }, { user: "root" }) as MountState;
    expect(mountKind.touches?.("/mnt/a", before, fresh)).toEqual(losses);
  });

  function flags(): MountState["flags"] {
    return { noatime: false, nodev: false, nodiratime: false, noexec: false, nosuid: false, ro: false, sync: false };
  }
});

test.each([
  { options: "defaults,nofail", flags: { ro: false, nosuid: false, nodev: false, noexec: false, sync: false } },
  { options: "ro,noexec,x-systemd.automount", flags: { ro: true, noexec: true } },
  { options: "noatime,relatime", flags: { noatime: false } },
])("$options sets the right flags", ({ options, flags }) => {
  expect(flagsOf(options)).toEqual(flags);
});
