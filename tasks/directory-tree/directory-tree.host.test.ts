import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { converge, outcomes } from "../../test/packages/converge.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { absent } from "../../src/core/facts/symbols.ts";
import { file } from "../file/file.ts";
import { directoryTree } from "./directory-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-tree-"));
afterAll(() => rmSync(folder, { recursive: true }));
const source = join(folder, "source");
const path = join(folder, "host");
const host = taskHost();
const changed = { checked: ["changed"], ran: ["changed"] };
const bytes = Buffer.from([0xff, 0x00, 0x0a, 0x80]);

mkdirSync(join(source, "sub", "deep = 1"), { recursive: true });
writeFileSync(join(source, "index.html"), "<h1>Welcome</h1>\n");
writeFileSync(join(source, "sub", "bytes | ü"), bytes);
writeFileSync(join(source, "sub", "deep = 1", "run.sh"), "#!/bin/sh\n");
chmodSync(join(source, "sub", "deep = 1", "run.sh"), 0o755);
writeFileSync(join(source, "middle"), Buffer.alloc(100_000, "m"));
symlinkSync("index.html", join(source, "link"));
writeFileSync(join(source, "left.bak"), "not this one");
const tree = directoryTree({ source, path, exclude: ["*.bak"] });

describe("directoryTree", () => {
  test("copies a whole tree to a path where nothing exists", async () => {
    expect(await converge(host, tree)).toEqual(changed);
    expect(readFileSync(join(path, "sub", "bytes | ü"))).toEqual(bytes);
    expect(readFileSync(join(path, "link"), "utf8")).toBe("<h1>Welcome</h1>\n");
    expect(statSync(join(path, "sub", "deep = 1", "run.sh")).mode & 0o777).toBe(0o755);
    expect(existsSync(join(path, "left.bak"))).toBe(false);
  });

  test("changes the owner of the tree's directory, not of a link to that directory", async () => {
    const real = join(folder, "real");
    const linked = join(folder, "linked");
    mkdirSync(real);
    symlinkSync("real", linked);
    const owned = directoryTree({ source, path: linked, exclude: ["*.bak"], owner: "daemon", group: "daemon" });
    expect(await converge(host, owned)).toEqual(changed);
    expect([statSync(real).uid, lstatSync(linked).uid]).toEqual([1, 0]);
    expect(outcomes(await host.apply(owned))).toEqual(["ok"]);
  });

  test("sends only files whose content differs, and sets only the mode if only the mode differs", async () => {
    writeFileSync(join(path, "index.html"), "changed");
    chmodSync(join(path, "middle"), 0o600);
    const [end] = await host.apply(tree);
    expect(end?.steps).toEqual([`write ${path}/index.html`, `set 0644 on ${path}/middle`]);
    expect(outcomes(await host.apply(tree))).toEqual(["ok"]);
  });

  test("keeps extra entries unless purge is set, and always keeps excluded entries", async () => {
    mkdirSync(join(path, "extra", "more"), { recursive: true });
    writeFileSync(join(path, "extra", "more", "file"), "");
    writeFileSync(join(path, "sub", "old"), "");
    mkdirSync(join(path, "kept"));
    writeFileSync(join(path, "kept", "by.bak"), "");
    expect(outcomes(await host.apply(tree))).toEqual(["ok"]);
    const purging = directoryTree({ source, path, exclude: ["*.bak"], purge: true });
    const [end] = await host.check(purging);
    expect(end?.changes).toMatchObject([
      { fact: `tree:${path}`, differences: [{ path: "names" }] },
      { fact: `removal:${path}/extra`, differences: [{ to: absent }] },
      { fact: `removal:${path}/sub/old`, differences: [{ to: absent }] },
    ]);
    expect(await converge(host, purging)).toEqual(changed);
    expect([existsSync(join(path, "extra")), existsSync(join(path, "sub", "old"))]).toEqual([false, false]);
    expect(existsSync(join(path, "kept", "by.bak"))).toBe(true);
  });

  const oddNames = ["!first", "!", "%21", "constructor", "toString", "sub/constructor", "sub/!x"];

  test("copies files named like JavaScript's built-in properties or like an error from the host, and removes extra ones", async () => {
    const [from, to] = [join(folder, "odd-source"), join(folder, "odd-host")];
    mkdirSync(join(from, "sub"), { recursive: true });
    for (const name of oddNames) writeFileSync(join(from, name), `${name}\n`);
    const odd = directoryTree({ source: from, path: to });
    expect(await converge(host, odd)).toEqual(changed);
    for (const name of oddNames) expect(readFileSync(join(to, name), "utf8")).toBe(`${name}\n`);
    writeFileSync(join(to, "__proto__"), "only on the host");
    expect(outcomes(await host.apply(odd))).toEqual(["ok"]);
    for (const name of oddNames) rmSync(join(from, name));
    expect(await converge(host, directoryTree({ source: from, path: to, purge: true }))).toEqual(changed);
    for (const name of ["__proto__", ...oddNames]) expect(existsSync(join(to, name)), name).toBe(false);
  });

  test("compares a large file by its hash, and sends it when it differs", async () => {
    writeFileSync(join(source, "large"), "");
    truncateSync(join(source, "large"), 20_000_000);
    expect(await converge(host, tree)).toEqual(changed);
    const content = readFileSync(join(path, "large"));
    content[19_000_000] = 1;
    writeFileSync(join(path, "large"), content);
    expect(await converge(host, tree)).toEqual(changed);
    expect(readFileSync(join(path, "large"))[19_000_000]).toBe(0);
  });

  test("refuses to replace a directory with a file, and refuses a source that is not a directory", async () => {
    rmSync(join(path, "index.html"));
    mkdirSync(join(path, "index.html"));
    const ends = [...(await host.check(tree)), ...(await host.apply(tree))];
    expect(ends.map(({ error }) => error?.code)).toEqual(["E_REFUSED", "E_REFUSED"]);
    rmSync(join(path, "index.html"), { recursive: true });
    const [none] = await host.check(directoryTree({ source: join(folder, "nowhere"), path }));
    expect(none?.error?.failure.what).toContain("is not a directory on the controller");
  });

  test("is predicted correctly in check mode after a task that creates the directory", async () => {
    const fresh = join(folder, "fresh");
    const nodes = [file({ path: fresh, state: "directory" }), directoryTree({ source, path: fresh })];
    const expected = ["changed", "changed"];
    expect(await converge(host, ...nodes)).toEqual({ checked: expected, ran: expected });
    const put = file({ path: join(fresh, "index.html"), content: "other" });
    const [, after] = await host.apply(put, directoryTree({ source, path: fresh }));
    expect(after?.outcome).toBe("changed");
  });
});
