import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { confirm, motd, sshd, sudo, tar, ufw, useStandingClock } from "../../../../test/engine/confirmed-runs.ts";
import type { Ran } from "../../../../test/engine/runs.ts";
import type { Mode } from "../../../core/events.ts";
import { useWorld } from "../../../core/world.ts";

beforeEach(useStandingClock);
afterEach(() => useWorld());

const failureOf = ({ result }: Ran): object => {
  const [error] = result.errors;
  return { code: error?.code, ...error?.failure };
};

describe.each<Mode>(["check", "apply"])("%s refuses", (mode) => {
  test("a risky task that runs as a user other than root", async () => {
    const run = await confirm([motd(), sshd()], { mode, user: "ana" });
    expect(failureOf(run)).toMatchObject({
      code: "E_REFUSED",
      what: "the task's session belongs to ana, not to root, so --confirm-within cannot guard this change",
    });
  });

  test("a risky task that runs as the login user, in a play whose other risky tasks run as root", async () => {
    const run = await confirm([sshd(), sudo("x", { become: "root" })], { mode, login: "ana" });
    expect(failureOf(run)).toMatchObject({
      code: "E_REFUSED",
      where: { host: "a", task: "sshd" },
      what: "the task's session belongs to ana, not to root, so --confirm-within cannot guard this change",
    });
  });

  test("a change that the host could not revert, for the reason that the host gives", async () => {
    const run = await confirm([motd(), sshd()], { mode, refuses: "the host has no tar" });
    expect(failureOf(run)).toMatchObject({
      code: "E_REFUSED",
      where: { host: "a", task: "sshd" },
      what: "--confirm-within cannot guard this change",
      current: "the host has no tar",
    });
    expect(run.log).not.toContain("write /etc/ssh/sshd_config");
  });

  test("a change to ufw, because its rules would outlive the restored files", async () => {
    const run = await confirm([motd(), ufw()], { mode });
    expect(failureOf(run)).toMatchObject({
      code: "E_REFUSED",
      what: "furrow cannot undo ufw, so --confirm-within cannot guard this change",
      hint: "Run ufw without --confirm-within, and keep a console open, or use nftables or firewalld",
    });
    expect(run.log).not.toContain("write /etc/ufw/ufw.conf");
  });

  test("a risky task on a host without systemd", async () => {
    const run = await confirm([motd(), sshd()], { mode, withSystemd: false });
    expect(failureOf(run)).toMatchObject({ code: "E_REFUSED", where: { host: "a", task: "sshd" } });
    expect(run.log).not.toContain("write /etc/ssh/sshd_config");
  });
});

test("check reports what the run would refuse, but continues, if an earlier task may remove the reason", async () => {
  const { notes, ends } = await confirm([tar(), sshd()], { mode: "check", refuses: "the host has no tar" });
  expect(ends).toEqual(["a tar changed", "a sshd changed"]);
  expect(notes["sshd"]?.at(-1)).toBe(
    "the run fails here, unless tar changes this: --confirm-within cannot guard this change: the host has no tar",
  );
});
