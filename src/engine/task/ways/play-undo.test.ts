import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  confirm,
  keys,
  type ConfirmSetting,
  motd,
  sshd,
  sudo,
  useStandingClock,
} from "../../../../test/engine/confirmed-runs.ts";
import type { Ran } from "../../../../test/engine/runs.ts";
import { command } from "../../../../tasks/command/command.ts";
import { block, type Node } from "../../../core/authoring/group.ts";
import type { Mode } from "../../../core/events.ts";
import { useWorld } from "../../../core/world.ts";

beforeEach(useStandingClock);
afterEach(() => useWorld());

const failureOf = ({ result }: Ran): object => {
  const [error] = result.errors;
  return { code: error?.code, ...error?.failure };
};

describe("what is armed and confirmed", () => {
  test("a play without risky tasks arms nothing, and asks the host nothing extra", async () => {
    const { log, ends } = await confirm([motd(), motd("issue")]);
    expect(log).toEqual(["connect", "write /etc/motd", "write /etc/issue"]);
    expect(ends).toEqual(["a motd changed", "a issue changed"]);
  });

  test("the undo of one risky task is armed before the task, held, and confirmed over a new connection at the play's end", async () => {
    const { log, ends, notes } = await confirm([motd("one"), sshd(), motd("two")]);
    expect(log).toEqual([
      "connect",
      "write /etc/one",
      "arm sshd: /etc/ssh/sshd_config",
      "write /etc/ssh/sshd_config",
      "due in 30",
      "connect",
      "due in 14400",
      "write /etc/two",
      "due in 30",
      "connect",
      "confirmed",
    ]);
    expect(ends).toEqual(["a one changed", "a sshd changed", "a two changed"]);
    expect(notes["two"]).toEqual(["not undone: this stays if the host reverts sshd"]);
  });

  test("while tasks follow, the undo is held, and notes name the tasks that a revert would not undo", async () => {
    const { log, notes } = await confirm([sshd(), motd(), sudo()]);
    expect(log).toEqual([
      "connect",
      "arm sshd: /etc/ssh/sshd_config",
      "write /etc/ssh/sshd_config",
      "due in 30",
      "connect",
      "due in 14400",
      "write /etc/motd",
      "arm sudo: /etc/sudoers.d/ops",
      "write /etc/sudoers.d/ops",
      "due in 30",
      "connect",
      "confirmed",
    ]);
    expect(notes["motd"]).toEqual(["not undone: this stays if the host reverts sshd"]);
  });

  test("a later command that may cut the connection has a time limit of seconds, like a risky task; the limit of other tasks is hours", async () => {
    const run = (name: string, ...argv: [string, ...string[]]): Node =>
      command({ command: argv, always: true }, { name });
    const { log, result } = await confirm([
      run("early", "/bin/systemctl", "restart", "systemd-networkd"),
      sshd(),
      run("harmless", "/bin/uptime"),
      run("restart", "/bin/systemctl", "restart", "systemd-networkd"),
      motd(),
    ]);
    expect(result.errors).toEqual([]);
    expect(log.slice(1)).toEqual([
      "/bin/systemctl restart systemd-networkd",
      "arm sshd: /etc/ssh/sshd_config",
      "write /etc/ssh/sshd_config",
      "due in 30",
      "connect",
      "due in 14400",
      "/bin/uptime",
      "arm restart: ",
      "/bin/systemctl restart systemd-networkd",
      "due in 30",
      "connect",
      "due in 14400",
      "write /etc/motd",
      "due in 30",
      "connect",
      "confirmed",
    ]);
  });

  test.each<Mode>(["check", "apply"])(
    "a change to the keys in a user's own home arms nothing, and a note says so: %s",
    async (mode) => {
      const { log, notes } = await confirm([keys("/home/ana")], { mode });
      expect(log.filter((line) => line.startsWith("arm"))).toEqual([]);
      expect(notes["keys"]).toEqual([
        expect.stringMatching(/^not undone: furrow restores only root's authorized_keys/),
      ]);
    },
  );

  test("a converged play sends as many frames as without the flag", async () => {
    const frames = async (setting: ConfirmSetting): Promise<unknown> => {
      const run = await confirm([sshd(), motd(), sudo()], { ...setting, isConverged: true });
      expect(run.ends).toEqual(["a sshd ok", "a motd ok", "a sudo ok"]);
      expect(run.log).toEqual(["connect"]);
      return run.result.recap[0]?.frames;
    };
    expect(await frames({})).toBe(await frames({ withoutFlag: true }));
  });

  test("the recap names the tasks that were confirmed", async () => {
    const run = await confirm([sshd(), motd(), sudo()]);
    expect(run.result.recap[0]?.confirmed).toEqual(["sshd", "sudo"]);
    expect((await confirm([motd()])).result.recap[0]?.confirmed).toBeUndefined();
    expect((await confirm([sshd(), motd("boom", "fail")])).result.recap[0]?.confirmed).toBeUndefined();
  });

  test("check asks the host about each change that the run would arm, and about no others", async () => {
    expect((await confirm([motd(), sshd(), sudo()], { mode: "check" })).asked).toBe(2);
    expect((await confirm([sshd(), motd(), sudo()], { mode: "check", isConverged: true })).asked).toBe(0);
  });

  test.each<Mode>(["check", "apply"])("what the host's tar would lose is reported in a note: %s", async (mode) => {
    const { notes } = await confirm([sshd(), motd()], { mode, loses: "ACL of /etc/ssh/sshd_config\n" });
    expect(notes["sshd"]?.at(-1)).toBe(
      "not undone: a revert would lose this, because of the host's tar: ACL of /etc/ssh/sshd_config",
    );
    expect(notes["motd"]).toHaveLength(1);
  });

  test("the session that armed the undo also confirms or reverts it, if only individual tasks become root", async () => {
    const root = { become: "root" };
    const good = await confirm([motd(), sshd("x", root), motd("last")], { user: "root", login: "ana" });
    expect(failureOf(good)).toEqual({});
    expect(good.log.slice(-2)).toEqual(["connect", "confirmed"]);
    const bad = await confirm([sshd("x", root), motd("boom", "fail")], { user: "root", login: "ana" });
    expect(bad.log.at(-1)).toBe("reverted");
    expect(bad.result.recap[0]?.reverted).toEqual(["sshd"]);
  });

  test("a held undo is confirmed at the end of the play", async () => {
    const again = await confirm([sshd(), sshd()]);
    expect(again.ends).toEqual(["a sshd changed", "a sshd ok"]);
    expect(again.log.slice(-3)).toEqual(["due in 30", "connect", "confirmed"]);
  });

  test("check mode names the tasks, arms nothing, and lists the tasks that would not be undone", async () => {
    const { log, notes } = await confirm([sshd(), motd(), sudo(), motd("issue")], { mode: "check" });
    expect(log).toEqual(["connect"]);
    const armed = ["the host reverts this, unless it is confirmed over a new connection within 30 s"];
    const kept = ["not undone: this stays if the host reverts sshd"];
    expect(notes).toEqual({ sshd: armed, motd: kept, sudo: armed, issue: [`${kept[0]}; sudo`] });
  });
});

describe("what is not confirmed", () => {
  test("the host reverts the changes by itself, and the failure names what is reverted and what is not", async () => {
    const run = await confirm([sshd(), motd(), sudo("cut"), motd("later")]);
    expect(run.ends).toEqual(["a sshd changed", "a motd changed", "a sudo failed"]);
    expect(failureOf(run)).toMatchObject({
      code: "E_NOT_CONFIRMED",
      where: { host: "a", task: "sudo" },
      current: "refused",
      details: ["tasks whose changes are reverted: sshd; sudo", "not undone: motd"],
      hint: "Correct these tasks, and run again; the log is in /var/lib/furrow/undo/play/reverted/log on the host",
    });
    expect(run.log.filter((line) => line === "reverted")).toHaveLength(1);
    expect(run.log).not.toContain("confirmed");
  });

  test("a host is not finished if the run is killed while the end of the play is being confirmed", async () => {
    const run = await confirm([sshd(), motd()], { isKilled: true });
    expect(run.ends).toEqual(["a sshd changed", "a motd changed"]);
    expect(run.log).not.toContain("confirmed");
    expect(run.result.recap[0]?.end).toBe("stopped");
  });

  test("if a task acts for longer than the host waits, the failure says that its last changes might not be reverted", async () => {
    const run = await confirm([sshd("late")]);
    expect(failureOf(run)).toMatchObject({
      code: "E_NOT_CONVERGED",
      details: [
        "tasks whose changes are reverted: sshd",
        "the last of these tasks took 40 s to act: what it changed after 30 s might not be reverted",
      ],
    });
  });

  test("a risky task that fails is reverted at once", async () => {
    const run = await confirm([sshd("fail")]);
    expect(failureOf(run)).toMatchObject({
      code: "E_STEP",
      details: ["tasks whose changes are reverted: sshd"],
    });
    expect(run.log).toEqual(["connect", "arm sshd: /etc/ssh/sshd_config", "write /etc/ssh/sshd_config", "reverted"]);
  });

  test.each<[string, Node]>([
    ["retries", sudo("fail", { retries: 2 })],
    ["ignoreFailure", sudo("fail", { ignoreFailure: true })],
    ["a rescue", block("group", [sudo("fail")], { rescue: [motd("rescue")] })],
  ])("a failure that undoes earlier tasks ends the play, despite %s", async (_, failing) => {
    const run = await confirm([sshd(), failing, motd("later")]);
    expect(run.ends).toEqual(["a sshd changed", "a sudo failed"]);
    expect(failureOf(run)).toMatchObject({
      code: "E_NOT_CONFIRMED",
      details: ["tasks whose changes are reverted: sshd; sudo"],
    });
    expect(run.result.recap[0]).toMatchObject({ end: "failed", reverted: ["sshd"] });
    expect(run.warnings).toEqual(["reported as changed, but then reverted by the host: sshd"]);
  });

  test("if the host does not answer, the warning says when the host reverts: at the end of the hold", async () => {
    const run = await confirm([sshd(), motd("boom", "die"), motd("later")]);
    // The test's clock advances only when furrow sleeps, so nearly all of the four-hour hold is left.
    expect(run.warnings.join()).toMatch(/the host reverts the change by itself, within 14[34]\d\d s or at a reboot/);
  });

  test("a risky task may be retried if its failure undoes no earlier task", async () => {
    const run = await confirm([sudo("fail", { retries: 1 })]);
    expect(run.log.filter((line) => line.startsWith("arm"))).toHaveLength(2);
    expect(run.result.recap[0]?.reverted).toBeUndefined();
  });

  test("a held change is reverted if another task fails before the change is confirmed", async () => {
    const run = await confirm([sshd(), motd("boom", "fail"), sudo()]);
    expect(run.log.at(-1)).toBe("reverted");
    expect(run.warnings.join()).toContain("tasks whose changes are reverted: sshd");
  });

  test("the host reverts if a later task that does not count as risky cuts the connection, as a restart may", async () => {
    const run = await confirm([sshd(), motd("restart", "cut")]);
    expect(run.log).toContain("reverted");
    expect(failureOf(run)).toMatchObject({
      code: "E_NOT_CONFIRMED",
      details: ["tasks whose changes are reverted: sshd", "not undone: restart"],
    });
    expect(run.result.recap[0]).toMatchObject({ end: "failed", reverted: ["sshd"] });
  });
});

describe("what an earlier run has left behind", () => {
  test("an undo that is still armed is adopted and confirmed by the next run", async () => {
    const run = await confirm([motd(), sshd()], { left: "armed" });
    expect(run.warnings).toEqual(["an earlier run left an unconfirmed change; this run confirms it, unless it fails"]);
    expect(run.log.slice(0, 2)).toEqual(["connect", "due in 14400"]);
    expect(run.log.slice(-3)).toEqual(["due in 30", "connect", "confirmed"]);
  });

  test.each<Mode>(["check", "apply"])("a revert is reported as a failure, and nothing is changed: %s", async (mode) => {
    const run = await confirm([sshd()], { mode, left: "reverted" });
    expect(failureOf(run)).toMatchObject({
      code: "E_NOT_CONFIRMED",
      what: "an earlier run's change was not confirmed, and the host has reverted it",
      details: ["on Monday, the host reverted: that"],
    });
    expect(run.log).toEqual(["connect"]);
  });
});
