import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { converge } from "../../test/packages/converge.ts";
import { file } from "./file.ts";

let host: LoopHost;
let at: string;
beforeAll(async () => {
  host = await loopHost();
  at = `${host.folder}/mnt`;
  // Accepts what includes a file that lies beside it: as nginx does, it looks there.
  await host.sh(`cat >${at}/accept <<'EOF'
#!/bin/sh
cd "\${2%/*}" && [ -f beside ] || { echo 'nothing beside it' >&2; exit 1; }
grep -q '^good' "$2" && ! grep -q bad "$2" && exit
echo "line 1: no such option"; exit 1
EOF
chmod +x ${at}/accept; touch ${at}/beside`);
});
afterAll(() => host.close());

const call = (content: string) => file({ path: `${at}/conf`, content, validate: `${at}/accept -f %s` });

describe("a command that must accept the new file", () => {
  test("accepts it, in check as in the run, and is not asked again", async () => {
    expect(await converge(host, call("good 1\n"))).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("refuses it in check as in the run: the old file stays, and nothing is left beside it", async () => {
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

  test("holds up the file of the controller, too, before it takes its place", async () => {
    writeFileSync(`${at}/source`, "bad\n");
    const upload = file({ path: `${at}/conf`, source: `${at}/source`, validate: `${at}/accept -f %s` });
    const [end] = await host.apply(upload);
    expect(end?.error?.failure.details?.join("\n")).toContain("does not accept the new content");
    expect(readFileSync(`${at}/conf`, "utf8")).toBe("good 1\n");
    writeFileSync(`${at}/source`, "good 2\n");
    expect(await host.apply(upload)).toMatchObject([{ outcome: "changed" }]);
  });

  test("a program that is not on the host yet is no refusal in check", async () => {
    const later = file({ path: `${at}/later`, content: "x", validate: "nosuchprogram -t %s" });
    expect(await host.check(later)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(later)).toMatchObject([{ outcome: "failed" }]);
  });
});
