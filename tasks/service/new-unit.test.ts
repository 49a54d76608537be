import { describe, expect, test } from "vitest";
import { absent, playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/simulate.ts";
import { file } from "../file/file.ts";
import { faultOfNewUnit } from "./new-unit.ts";
import { service } from "./service.ts";

const path = "/etc/systemd/system/tick.service";
const install = "[Install]\nWantedBy=multi-user.target\n";
const lasting = "[Service]\nExecStart=/bin/sleep 1000\n";
const oneshot = "[Service]\nType=oneshot\nExecStart=/bin/true\n";

describe("a unit whose file the same playbook writes", () => {
  const state = { metal: { "unit:tick.service": absent, [`file:${path}`]: absent, [`file:${path}.d`]: absent } };
  const ends = async (content: string, params: object, ...between: ReturnType<typeof file>[]): Promise<unknown> => {
    const tasks = [file({ path, content }), ...between, service({ name: "tick", ...params })];
    const book = playbook({ name: "new", plays: [{ hosts: "all", tasks: () => tasks }] });
    const run = await simulate(book, { hosts: ["metal"], state, mode: "check" });
    const last = run.tasks.at(-1);
    return last?.error?.failure.details?.[0] ?? last?.outcome;
  };

  test.each([
    [oneshot, { state: "started" }, "refused: unit-oneshot"],
    [lasting, { state: "started", enabled: true }, "refused: unit-not-installable"],
    [lasting + install, { state: "started", enabled: true }, "changed"],
    [`${oneshot}RemainAfterExit=yes\n`, { state: "started" }, "changed"],
    [oneshot + install, { enabled: true }, "changed"],
    [`[Unit]\nRefuseManualStart=yes\n${lasting}`, { state: "started" }, "refused: unit-refuses-start"],
    [`[Unit]\nRefuseManualStart=no\n${lasting}`, { state: "started" }, "changed"],
  ])("gets the same verdict in check mode and in the run: %j", async (content, params, expected) => {
    expect(await ends(content, params)).toBe(expected);
  });

  test("is undecided in check mode if a drop-in may override the file", async () => {
    const dropIn = file({ path: `${path}.d/a.conf`, content: "[Service]\nRemainAfterExit=yes\n" });
    const folder = file({ path: `${path}.d`, state: "directory" });
    expect(await ends(oneshot, { state: "started" }, folder, dropIn)).toBe("undecided");
  });
});

test.each([
  ["Type=oneshot outside of [Service]", `[Unit]\nType=oneshot\n${lasting}`, undefined],
  ["a comment", `[Service]\n#Type=oneshot\n; Type=oneshot\nExecStart=/bin/sleep 9\n`, undefined],
  ["a repeated setting", `${oneshot}Type=simple\n`, undefined],
  ["spaces around the equals sign", "[Service]\n Type = oneshot \n", "unit-oneshot"],
  ["a continued line", "[Service]\nExecStart=/bin/echo \\\n  Type=oneshot\n", undefined],
])("reads settings of a unit file as systemd does: %s", (_, text, code) => {
  expect(faultOfNewUnit({ name: "a", state: "started", reloadOn: [] }, text)?.reason.code).toBe(code);
});

test.each([
  ["WantedBy=", undefined],
  ["Alias=", undefined],
  ["Description=", "unit-not-installable"],
])("checks an [Install] section with %s", (key, code) => {
  const text = `${lasting}[Install]\n${key}x.target\n`;
  expect(faultOfNewUnit({ name: "a", enabled: true, reloadOn: [] }, text)?.reason.code).toBe(code);
});
