import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import * as t from "../../tasks/index.ts";
import { taskHost } from "../tasks/on-host.ts";

const host = taskHost();
const name = "furrow-owner";
let folder = "";

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "furrow-owners-"));
  await host.sh(`useradd -M -u 48123 ${name} && groupadd -g 48321 ${name}-g`);
});
afterEach(async () => {
  await host.sh(`userdel ${name} 2>/dev/null; groupdel ${name} 2>/dev/null; groupdel ${name}-g 2>/dev/null; :`);
  rmSync(folder, { recursive: true });
});

async function outcomes(mode: "apply" | "check", ...nodes: readonly Node[]): Promise<string[]> {
  return (await host[mode](...nodes)).map(({ outcome }) => outcome);
}

test("when a user gets a new id, files with the old id are given to the user again in the same run", async () => {
  const path = join(folder, "f");
  await host.sh(`touch ${path} && chmod 0644 ${path} && chown ${name} ${path}`);
  const tasks = (): Node[] => [t.user({ name, uid: 48124 }), t.file({ path, content: "", owner: name })];
  expect(await outcomes("check", ...tasks())).toEqual(["changed", "changed"]);
  expect(await outcomes("apply", ...tasks())).toEqual(["changed", "changed"]);
  expect((await host.sh(`stat -c %U ${path}`)).trim()).toBe(name);
  expect(await outcomes("apply", ...tasks())).toEqual(["ok", "ok"]);
});

test("when a group gets a new id, files with the old id are given to the group again in the same run", async () => {
  const path = join(folder, "f");
  await host.sh(`touch ${path} && chmod 0644 ${path} && chgrp ${name}-g ${path}`);
  const tasks = (): Node[] => [
    t.group({ name: `${name}-g`, gid: 48322 }),
    t.file({ path, content: "", group: `${name}-g` }),
  ];
  expect(await outcomes("check", ...tasks())).toEqual(["changed", "changed"]);
  expect(await outcomes("apply", ...tasks())).toEqual(["changed", "changed"]);
  expect(await outcomes("apply", ...tasks())).toEqual(["ok", "ok"]);
});

test("when a user is removed, files cannot be given to the user", async () => {
  const path = join(folder, "f");
  await host.sh(`touch ${path} && chmod 0644 ${path} && chown ${name} ${path}`);
  const tasks = (): Node[] => [t.user({ name, state: "absent" }), t.file({ path, content: "", owner: name })];
  expect(await outcomes("check", ...tasks())).toEqual(["changed", "failed"]);
  expect(await outcomes("apply", ...tasks())).toEqual(["changed", "failed"]);
});
