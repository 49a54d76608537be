import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { paintFor } from "../../src/report/text/colours.ts";
import { changeLines } from "../../src/report/changes/changes.ts";
import { converge } from "../../test/packages/converge.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { command } from "../command/command.ts";
import { file } from "../file/file.ts";
import { directoryTree } from "./directory-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-linked-"));
afterAll(() => rmSync(folder, { recursive: true }));
const host = taskHost();
const changed = { checked: ["changed"], ran: ["changed"] };
const source = join(folder, "source");
mkdirSync(source);

/** Creates a file below the test's folder, and any missing directories above the file. Returns the file's path. */
function put(name: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "data\n");
  return path;
}
put("source/index");

describe("directoryTree with purge, on paths that lead through links", () => {
  test("removes a link inside the tree, but nothing that it points to", async () => {
    const path = join(folder, "inside/tree");
    const outside = put("inside/outside/data");
    put("inside/tree/old/file");
    symlinkSync("../outside", join(path, "out"));
    symlinkSync("../../outside", join(path, "old/out"));
    const purging = directoryTree({ source, path, purge: true });
    expect(await shown(purging)).toEqual(["+ index", "- old/  directory, 2 files, 18 B", "- out  link"]);
    expect(await converge(host, purging)).toEqual(changed);
    expect([existsSync(outside), existsSync(join(path, "old"))]).toEqual([true, false]);
    expect(() => lstatSync(join(path, "out"))).toThrow("ENOENT");
  });

  test("check names the real path of a removed file if the tree's path contains a link; nothing outside the tree is removed", async () => {
    const kept = put("above/real/other/data");
    const gone = put("above/real/tree/old");
    symlinkSync("real", join(folder, "above/alias"));
    const purging = directoryTree({ source, path: join(folder, "above/alias/tree"), purge: true });
    expect(await shown(purging)).toEqual(["+ index", `- old  file, 5 B, really at ${gone}`]);
    expect(await converge(host, purging)).toEqual(changed);
    expect([existsSync(kept), existsSync(gone)]).toEqual([true, false]);
  });

  test("check and run purge the tree at the new target of a link that an earlier task changes, not at the old one", async () => {
    const before = put("moved/one/tree/old");
    const after = put("moved/two/tree/old");
    const link = join(folder, "moved/link");
    symlinkSync("one", link);
    const nodes = [
      file({ path: link, state: "link", target: "two" }),
      directoryTree({ source, path: `${link}/tree`, purge: true }),
    ];
    const [, end] = await host.check(...nodes);
    expect(lines(end)).toEqual(["+ index", `- old  file, 5 B, really at ${after}`]);
    const both = ["changed", "changed"];
    expect(await converge(host, ...nodes)).toEqual({ checked: both, ran: both });
    expect([existsSync(before), existsSync(after)]).toEqual([true, false]);
  });

  /** A command that declares no changed facts, but replaces a directory with a link to data elsewhere. */
  const swap = (directory: string) =>
    command({
      command: `mv ${directory} ${directory}.before && ln -s outside ${directory}`,
      unless: `test -L ${directory}`,
      disturbs: [],
    });

  test("removes nothing outside the tree if a directory inside becomes a link after the tree is read", async () => {
    mkdirSync(join(folder, "swap-source/sub"), { recursive: true });
    put("swap/tree/sub/old/file");
    const outside = put("swap/tree/outside/old/data");
    const tree = {
      source: join(folder, "swap-source"),
      path: join(folder, "swap/tree"),
      exclude: ["outside", "*.before"],
    };
    const [, end] = await host.apply(swap(join(tree.path, "sub")), directoryTree({ ...tree, purge: true }));
    expect(end?.outcome).toBe("failed");
    expect(JSON.stringify(end?.error)).toMatch(/a link below .*tree leads to/);
    expect(existsSync(outside)).toBe(true);
  });

  test("a recursive file task removes nothing elsewhere if the path becomes a link after it is read", async () => {
    put("remove/at/old/file");
    const outside = put("remove/outside/old/data");
    const at = join(folder, "remove/at");
    const removing = file({ path: join(at, "old"), state: "absent", recursive: true });
    const [, end] = await host.apply(swap(at), removing);
    expect(end?.outcome).toBe("failed");
    expect(existsSync(outside)).toBe(true);
  });
});

async function shown(task: ReturnType<typeof directoryTree>): Promise<string[]> {
  const [end] = await host.check(task);
  return lines(end);
}

function lines(end: Awaited<ReturnType<typeof host.check>>[number] | undefined): string[] {
  return changeLines(end?.changes ?? [], end?.title ?? "", { diff: false, mode: "check", paint: paintFor(false) });
}
