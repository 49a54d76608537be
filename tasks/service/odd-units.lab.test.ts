import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptOf } from "../../src/core/kind.ts";
import { unit, unitKind } from "../../src/facts/unit.ts";
import { oneLabHost } from "../../test/tasks/one-lab-host.ts";
import { service } from "./service.ts";

let host: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => {
  host = await oneLabHost("odd-units");
});
afterAll(() => host.down());

describe("units that are not like most", () => {
  test("stops a transient unit, which is gone then", async () => {
    await host.sh("systemd-run --quiet --unit furrow-transient sleep 600");
    const call = service({ name: "furrow-transient", state: "stopped" });
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
  });

  test("lifts a mask that holds until the next boot only", async () => {
    await host.sh("systemctl mask --runtime --quiet cron");
    const call = service({ name: "cron", masked: false });
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
  });

  test("refuses to mask a unit whose own file is in /etc/systemd/system, in check as in the run", async () => {
    const unit = "[Service]\\nExecStart=/bin/sleep 600\\n";
    await host.sh(`printf '${unit}' >/etc/systemd/system/furrow-own.service; systemctl daemon-reload`);
    const call = service({ name: "furrow-own", masked: true });
    for (const [end] of [await host.check(call), await host.apply(call)]) {
      expect(end?.error?.failure.details).toEqual(["refused: unit-file-in-the-way"]);
    }
  });

  test("an instance with an @ in its name, and a name that systemctl refuses beside one that it knows", async () => {
    await host.sh("printf '[Service]\\nExecStart=/bin/sleep 600\\n' >/etc/systemd/system/furrow-at@.service");
    expect(await host.apply(service({ name: "furrow-at@b@c", state: "started" }))).toMatchObject([
      { outcome: "changed" },
    ]);
    const asked = [unit("cron"), unit("furrow-at@.service")];
    const answers = await host.sh(
      scriptOf(
        unitKind,
        asked.map((question, number) => ({ ...question, number })),
      ),
    );
    expect(answers).toMatch(/^0 load=loaded$/m);
    expect(answers).toMatch(/^1 !systemctl show failed: .*furrow-at@\.service/m);
  });
});
