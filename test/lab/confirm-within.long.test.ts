import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Controller, type Event, warnings } from "../torture/controller.ts";
import { ConfirmHost, dropIn, outcomes } from "./confirm-host.ts";
import { ends } from "./task-ends.ts";

const host = new ConfirmHost("confirm-within");
beforeAll(() => host.up());
afterAll(() => host.down());

const inside = (script: string): Promise<string> => host.inside(script);
const traces = (): Promise<string> => host.traces();
const start: ConfirmHost["start"] = (...given) => host.start(...given);
const runPlay = (text: string): Controller["ended"] => host.run(text);
const answers = (seconds: number): Promise<void> => host.answers(seconds);

const isWaiting = (events: readonly Event[]): boolean =>
  events.some((event) => event.type === "stepOutput" && String(event["text"]).includes("no new connection yet"));

describe("furrow run --confirm-within", () => {
  test("keeps a correct change, leaves nothing armed, and sends no extra frames to a converged host", async () => {
    const check = await start("check", "MaxAuthTries 5\n", 20).ended;
    expect(ends(check.events).find(({ title }) => title === "drop-in")?.notes).toEqual([
      "the host reverts this, unless it is confirmed over a new connection within 20 s",
    ]);
    const run = await start("run", "MaxAuthTries 5\n", 20).ended;
    expect(outcomes(run.events), run.text).toEqual([
      "harmless changed",
      "drop-in changed",
      "between changed",
      "sshd changed",
    ]);
    expect(ends(run.events)[2]?.notes).toEqual(["not undone: this stays if the host reverts drop-in"]);
    expect(run.code).toBe(0);
    await sleep(22_000);
    expect(await inside(`cat ${dropIn}`)).toBe("MaxAuthTries 5\n");
    expect(await traces()).toBe("");
    const again = await start("run", "MaxAuthTries 5\n", 20).ended;
    expect(outcomes(again.events)).toEqual(["harmless ok", "drop-in ok", "between ok", "sshd ok"]);
    const plain = await start("run", "MaxAuthTries 5\n", undefined).ended;
    const frames = ({ events }: Awaited<Controller["ended"]>): unknown =>
      (events.at(-1)?.["recap"] as readonly { readonly frames?: number }[] | undefined)?.[0]?.frames;
    expect(frames(plain)).toBeGreaterThan(0);
    expect(frames(again)).toEqual(frames(plain));
  });

  test.each([
    ["only the user nobody may log in", "AllowUsers nobody\n"],
    ["the server listens on another port", "Port 2222\n"],
  ])("the host answers again by itself, and the run says what was reverted: %s", async (_, text) => {
    const before = await inside(`cat ${dropIn}`);
    const run = await start("run", text, 20).ended;
    const end = ends(run.events).at(-1);
    expect(end, run.text).toMatchObject({ title: "sshd", outcome: "failed", code: "E_NOT_CONFIRMED" });
    expect(end?.text).toContain("tasks whose changes are reverted: drop-in; sshd");
    expect(end?.text).toContain("not undone: between");
    expect(run.code).toBe(1);
    await answers(0);
    expect(await inside(`cat ${dropIn}`)).toBe(before);
    expect(await traces()).toBe("");
  });

  test("furrow is killed: the host reverts, and the next run says so once", async () => {
    const before = await inside(`cat ${dropIn}`);
    const run = start("run", "AllowUsers nobody\n", 30);
    await run.until(isWaiting);
    run.child.kill("SIGKILL");
    await run.ended;
    await answers(60);
    await sleep(2000);
    expect(await inside(`cat ${dropIn}`)).toBe(before);
    const next = await start("run", "MaxAuthTries 4\n", 30).ended;
    expect(ends(next.events).at(-1), next.text).toMatchObject({ title: "drop-in", code: "E_NOT_CONFIRMED" });
    expect(ends(next.events).at(-1)?.text).toContain("drop-in; sshd");
    const last = await start("run", "MaxAuthTries 4\n", 30).ended;
    expect(last.code, last.text).toBe(0);
    expect(await inside(`cat ${dropIn}`)).toBe("MaxAuthTries 4\n");
  });

  test("furrow is killed and the host reboots: the host is as it was before", async () => {
    const before = await inside(`cat ${dropIn}`);
    const run = start("run", "AllowUsers nobody\n", 3000);
    await run.until(isWaiting);
    run.child.kill("SIGKILL");
    await run.ended;
    await expect(answers(0)).rejects.toThrow("does not answer");
    await inside("systemctl reboot");
    await sleep(3000);
    await answers(90);
    expect(await inside(`cat ${dropIn}`)).toBe(before);
    expect(await traces()).toBe("");
  });

  test("furrow is killed between two tasks: the next run confirms what the killed run left", async () => {
    // The host may still have to report that, after booting, it reverted the killed run's change.
    await inside("rm -rf /var/lib/furrow/undo");
    const run = start("run", "MaxAuthTries 3\n", 60);
    await run.until((events) => outcomes(events).some((one) => one === "drop-in changed"));
    run.child.kill("SIGKILL");
    await run.ended;
    expect(await traces()).toContain("armed");
    const next = await start("run", "MaxAuthTries 3\n", 60).ended;
    expect(next.code, next.text).toBe(0);
    expect(warnings(next.events).join(" ")).toContain("an earlier run left an unconfirmed change");
    expect(await traces()).toBe("");
    expect(await inside(`cat ${dropIn}`)).toBe("MaxAuthTries 3\n");
  });

  test("a later task fails: the changes that are not confirmed yet are reverted at once", async () => {
    const before = await inside(`cat ${dropIn}`);
    const run = await start(
      "run",
      "MaxAuthTries 2\n",
      60,
      'command({ command: ["false"], creates: "/not-there" }, { name: "boom" }), file({ path: "/etc/sudoers.d/later", content: "# later" }),',
    ).ended;
    expect(ends(run.events).at(-1), run.text).toMatchObject({ title: "boom", outcome: "failed" });
    expect(warnings(run.events).join(" ")).toContain("tasks whose changes are reverted: drop-in; sshd");
    expect(await inside(`cat ${dropIn}`)).toBe(before);
    expect(await traces()).toBe("");
  });

  test("a command restarts the server, and no other task follows: the host reverts", async () => {
    const before = await inside(`cat ${dropIn}`);
    const run = await runPlay(
      `import { command, file } from "furrow/tasks";
export default playbook({ name: "Command", plays: [{ hosts: "one", tasks: () => [
  file({ path: ${JSON.stringify(dropIn)}, content: "Port 2222\\n" }, { name: "drop-in" }),
  command({ command: ["systemctl", "restart", "ssh"], always: true }, { name: "restart" }),
] }] });
`,
    );
    expect(run.code, run.text).toBe(1);
    expect(run.text).toContain("not undone: restart");
    expect(warnings(run.events).join(" ")).toContain("reported as changed, but then reverted by the host: drop-in");
    await answers(0);
    expect(await inside(`cat ${dropIn}`)).toBe(before);
    expect(await traces()).toBe("");
  });

  test("the play created and started a unit: the revert runs the unit's ExecStop command", async () => {
    const run = await runPlay(
      `import { command, file, service, systemdUnit } from "furrow/tasks";
const Service = { Type: "oneshot", RemainAfterExit: "yes", ExecStart: "/bin/touch /run/fw-on", ExecStop: "/bin/rm /run/fw-on" };
export default playbook({ name: "Unit", plays: [{ hosts: "one", tasks: () => [
  systemdUnit({ name: "iptables.service", sections: { Service, Install: { WantedBy: "multi-user.target" } } }, { name: "fw" }),
  service({ name: "iptables", state: "started", enabled: true }, { name: "fw on" }),
  command({ command: ["test", "!", "-e", "/run/fw-on"], always: true }, { name: "boom" }),
] }] });
`,
    );
    expect(ends(run.events).at(-1), run.text).toMatchObject({ title: "boom", outcome: "failed" });
    expect(warnings(run.events).join(" ")).toContain("reverted by the host: fw; fw on");
    expect(await inside("ls /run/fw-on; find /etc/systemd/system -name 'iptables*'")).toBe("");
    expect(await traces()).toBe("");
  });

  test("a new connection logs in, but cannot become root: the host reverts", async () => {
    const text = "admin ALL=(ALL:ALL) !ALL\n";
    const run = await runPlay(
      `import { file } from "furrow/tasks";
export default playbook({ name: "Sudo", plays: [{ hosts: "admin", become: true, tasks: () => [
  file({ path: "/etc/sudoers.d/zz-site", content: ${JSON.stringify(text)}, mode: "0440" }, { name: "sudo" }),
] }] });
`,
    );
    const [end] = ends(run.events);
    expect(end, run.text).toMatchObject({ title: "sudo", outcome: "failed", code: "E_NOT_CONFIRMED" });
    expect(end?.text).toContain("sudo");
    expect(await inside("ls /etc/sudoers.d/zz-site 2>&1; sudo -u admin sudo -n true && echo root")).toMatch(
      /No such file[^]*root/,
    );
    expect(await traces()).toBe("");
  });

  test("a firewall drops every packet, including those of the current connection: the host reverts", async () => {
    await inside("export DEBIAN_FRONTEND=noninteractive; apt-get -qq update; apt-get -qq install -y nftables");
    const before = await inside("nft list ruleset; cat /etc/nftables.conf");
    const rules = "chain input {\\n  type filter hook input priority filter; policy drop;\\n}";
    const run = await runPlay(
      `import { nftables } from "furrow/tasks";
export default playbook({ name: "Firewall", plays: [{ hosts: "one", tasks: () => [
  nftables({ table: "site", rules: "${rules}" }, { name: "firewall" }),
] }] });
`,
    );
    expect(ends(run.events)[0], run.text).toMatchObject({ outcome: "failed", code: "E_NOT_CONFIRMED" });
    await answers(0);
    expect(await inside("nft list ruleset; cat /etc/nftables.conf")).toBe(before);
    expect(await traces()).toBe("");
  });
});
