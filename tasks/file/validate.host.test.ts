import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { converge } from "../../test/packages/converge.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { fileBlock } from "../file-block/file-block.ts";
import { fileLine } from "../file-line/file-line.ts";
import { file } from "./file.ts";

let host: LoopHost;
let at: string;
beforeAll(async () => {
  host = await loopHost();
  at = `${host.folder}/mnt`;
  // A validator for a file that includes another file. Like nginx, it looks for the included file in the directory of
  // the file that it checks.
  await host.sh(`cat >${at}/accept <<'EOF'
#!/bin/sh
cd "\${2%/*}" && [ -f sibling ] || { echo 'no sibling' >&2; exit 1; }
grep -q '^good' "$2" && ! grep -q bad "$2" && exit
echo "line 1: no such option"; exit 1
EOF
chmod +x ${at}/accept; touch ${at}/sibling`);
});
afterAll(() => host.close());

const call = (content: string) => file({ path: `${at}/conf`, content, validate: `${at}/accept -f %s` });

const edited = () => ({ path: `${at}/edited`, validate: `${at}/accept -f %s` });

describe("a validator", () => {
  test("accepts the new file, in check mode and in the run, and does not run again if nothing changes", async () => {
    expect(await converge(host, call("good 1\n"))).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("rejects the new file, in check mode and in the run, keeps the old file, and leaves nothing in its directory", async () => {
    const before = readdirSync(at);
    for (const [end] of [await host.check(call("good bad\n")), await host.apply(call("good bad\n"))]) {
      expect(end?.error?.failure).toMatchObject({
        details: ["refused: not-accepted"],
        current: "line 1: no such option",
      });
    }
    expect(readFileSync(`${at}/conf`, "utf8")).toBe("good 1\n");
    expect(readdirSync(at)).toEqual(before);
  });

  test("leaves no temporary file behind even if it replaces the file's directory", async () => {
    await host.sh(`mkdir ${at}/live; echo old >${at}/live/conf; cat >${at}/swap <<'EOF'
#!/bin/sh
mv ${at}/live $(mktemp -d ${at}/before.XXXX) && mkdir ${at}/live
EOF
chmod +x ${at}/swap`);
    const [end] = await host.apply(file({ path: `${at}/live/conf`, content: "new\n", validate: `${at}/swap %s` }));
    expect(end?.outcome).toBe("failed");
    expect((await host.sh(`cd ${at} && find before.* live ! -type d | sed 's/^before[^/]*/before/'`)).trim()).toBe(
      "before/live/conf",
    );
  });

  test("also rejects a file from the controller that is too large for check mode, before the file replaces the old one", async () => {
    writeFileSync(`${at}/source`, `bad\n${"x".repeat(1024 * 1024)}`);
    const upload = file({ path: `${at}/conf`, source: `${at}/source`, validate: `${at}/accept -f %s` });
    const [end] = await host.apply(upload);
    expect(end?.error?.failure.details?.join("\n")).toContain("does not accept the new content");
    expect(readFileSync(`${at}/conf`, "utf8")).toBe("good 1\n");
    writeFileSync(`${at}/source`, "good 2\n");
    expect(await host.apply(upload)).toMatchObject([{ outcome: "changed" }]);
  });

  test("also validates a file from the controller in check mode", async () => {
    writeFileSync(`${at}/source`, "bad\n");
    const upload = file({ path: `${at}/conf`, source: `${at}/source`, validate: `${at}/accept -f %s` });
    expect((await host.check(upload))[0]?.error?.failure.details).toEqual(["refused: not-accepted"]);
    writeFileSync(`${at}/source`, "good 3\n");
    expect(await converge(host, upload)).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("also validates secret content in check mode, without showing the validator's output", async () => {
    const secret = (content: string) => call(`${content}${secretOf("hunter2", "token")}\n`);
    for (const [end] of [await host.check(secret("bad ")), await host.apply(secret("bad "))]) {
      expect(end?.error?.failure).toMatchObject({
        details: ["refused: not-accepted"],
        current: "not shown, because the content is secret",
      });
      expect(JSON.stringify(end)).not.toContain("hunter2");
    }
    expect(await converge(host, secret("good "))).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test.each([
    { what: "line", edit: (text: string) => fileLine({ ...edited(), line: text }) },
    { what: "block", edit: (text: string) => fileBlock({ ...edited(), block: text }) },
  ])("also validates a file with a new $what, in check mode and in the run", async ({ edit }) => {
    await host.sh(`printf 'good\n' >${at}/edited`);
    for (const [end] of [await host.check(edit("bad")), await host.apply(edit("bad"))]) {
      expect(end?.error?.failure.details).toEqual(["refused: not-accepted"]);
    }
    expect(readFileSync(`${at}/edited`, "utf8")).toBe("good\n");
    expect(await converge(host, edit("fine"))).toEqual({ checked: ["changed"], ran: ["changed"] });
    expect(readFileSync(`${at}/edited`, "utf8")).toContain("fine\n");
  });

  test("is refused if it is not on the host, in check mode and in the run", async () => {
    const later = file({ path: `${at}/later`, content: "x", validate: "nosuchprogram -t %s" });
    for (const ends of [await host.check(later), await host.apply(later)]) {
      expect(ends[0]?.error?.failure.details).toEqual(["refused: no-program"]);
    }
  });
});
