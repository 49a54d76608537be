import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Controller, type Event, warnings } from "../torture/controller.ts";
import { ConfirmHost, dropIn, outcomes } from "./confirm-host.ts";
import { ends } from "./task-ends.ts";

const host = new ConfirmHost("confirm-ways");
beforeAll(() => host.up());
afterAll(() => host.down());

const inside = (script: string): Promise<string> => host.inside(script);

/** A playbook of one play. */
const play = (tasks: string, hosts = "one"): string => `import { command, file } from "furrow/tasks";
const boom = command({ command: ["false"], always: true }, { name: "boom" });
export default playbook({ name: "Ways", plays: [{ hosts: "${hosts}", tasks: () => [${tasks}] }] });
void boom; void file;
`;

const confirmedOf = ({ events }: Awaited<Controller["ended"]>): unknown =>
  (events.at(-1)?.["recap"] as readonly { readonly confirmed?: readonly string[] }[] | undefined)?.[0]?.confirmed;
const hostsOf = (events: readonly Event[]): unknown => events.find(({ type }) => type === "runStarted")?.["hosts"];

describe("check mode refuses what the run refuses", () => {
  const both = async (text: string): Promise<{ code: string | undefined; text: string }[]> => {
    const check = await host.startPlay("check", text, 20).ended;
    const run = await host.run(text);
    return [check, run].map(({ events }) => {
      const end = ends(events).at(-1);
      return { code: end?.code, text: end?.text ?? "" };
    });
  };
  const risky = play(`file({ path: "${dropIn}", content: "MaxAuthTries 5\\n" })`);

  test.each([
    [
      "a revert that no run has reported",
      "d=/var/lib/furrow/undo/play/reverted; mkdir -p $d; echo today >$d/when; echo drop-in >$d/labels",
      "true",
      risky,
      { code: "E_NOT_CONFIRMED", text: expect.stringContaining("today, the host reverted") as string },
    ],
    [
      "a host without tar",
      "mv /usr/bin/tar /usr/bin/tar.away",
      "mv /usr/bin/tar.away /usr/bin/tar",
      risky,
      { code: "E_REFUSED", text: expect.stringContaining("the host has no tar") as string },
    ],
    [
      "a path that is a link to a folder",
      "mkdir -p /srv/keys; ln -s /srv/keys /etc/ssh/keys",
      "rm /etc/ssh/keys",
      play('file({ path: "/etc/ssh/keys", state: "absent" })'),
      { code: "E_REFUSED", text: expect.stringContaining("is a link to a folder") as string },
    ],
  ])("%s", async (_, before, after, text, expected) => {
    await inside(before);
    const ended = await both(text);
    await inside(after);
    expect(ended).toEqual([expected, expected]);
    expect(ended[0]?.text).toBe(ended[1]?.text);
    expect(await inside(`ls ${dropIn}; ls -d /var/lib/furrow/undo/play/armed`)).toBe("");
    await inside("rm -rf /var/lib/furrow/undo");
  });
});

test("what the play removed comes back as it was: folders, capabilities, files below a link", async () => {
  await inside(`mkdir -p /etc/ssh/own.d/deep /srv/rules; echo old >/etc/ssh/own.d/deep/program; echo old >/srv/rules/site
chown -R admin /etc/ssh/own.d; chmod 750 /etc/ssh/own.d; chmod 2711 /etc/ssh/own.d/deep; setcap cap_net_raw+ep /etc/ssh/own.d/deep/program
ln -sfn /srv/rules /etc/nftables.d`);
  const look = `find /etc/ssh/own.d -printf '%p %m %u\n' | sort; getcap -r /etc/ssh/own.d; cat /srv/rules/site; readlink /etc/nftables.d`;
  const before = await inside(look);
  expect(before).toContain("cap_net_raw=ep");
  const run = await host.run(
    play(`file({ path: "/etc/ssh/own.d/deep/program", content: "new" }),
file({ path: "/etc/nftables.d/site", content: "new" }),
command({ command: ["rm", "-r", "/etc/ssh/own.d"], always: true }), boom`),
  );
  expect(ends(run.events).at(-1), run.text).toMatchObject({ title: "boom", outcome: "failed" });
  expect(await inside(look)).toBe(before);
  expect(await inside("ls -a /etc/ssh /srv/rules | grep furrow-undo")).toBe("");
  const again = await host.run(
    play(`file({ path: "/etc/nftables.d/site", content: "new" })`),
    "--limit",
    "@unfinished",
  );
  expect([hostsOf(again.events), again.code], again.text).toEqual([["one"], 0]);
  expect(confirmedOf(again)).toEqual(["file /etc/nftables.d/site"]);
});

test("a user's play whose tasks become root is confirmed and reverted as root", async () => {
  const sudo = (text: string): string =>
    `file({ path: "/etc/sudoers.d/zz-site", content: "${text}", mode: "0440" }, { name: "sudo", become: "root" })`;
  const mine = 'file({ path: "/home/admin/mine", content: "x" }, { name: "mine" })';
  const good = await host.run(
    play(`${mine}, ${sudo("# one\\n")}, file({ path: "/home/admin/last", content: "x" })`, "admin"),
  );
  expect([good.code, confirmedOf(good)], good.text).toEqual([0, ["sudo"]]);
  const bad = await host.run(play(`${sudo("# two\\n")}, boom`, "admin"));
  expect(warnings(bad.events).join(" "), bad.text).toContain("reverted by the host: sudo");
  expect(await inside("cat /etc/sudoers.d/zz-site")).toBe("# one\n");
  const own = play(
    `file({ path: "/etc/ssh/own.conf", content: "x" }, { name: "own" }), ${sudo("# three\\n")}`,
    "admin",
  );
  for (const verb of ["check", "run"] as const) {
    const { events } = await host.startPlay(verb, own, 20).ended;
    expect(ends(events).at(-1)).toMatchObject({ title: "own", code: "E_REFUSED" });
  }
  expect(await host.traces()).toBe("");
});

test("furrow waits for a login that takes 11 seconds, although the host reverts after 20 seconds", async () => {
  await inside("cp /etc/pam.d/sshd /root/pam; sed -i '1iaccount optional pam_exec.so /bin/sleep 11' /etc/pam.d/sshd");
  const run = await host.run(
    play(`file({ path: "${dropIn}", content: "MaxAuthTries 4\\n" }, { name: "drop-in" })`, "slow"),
  );
  await inside("cp /root/pam /etc/pam.d/sshd");
  expect(outcomes(run.events), run.text).toEqual(["drop-in changed"]);
  expect([run.code, confirmedOf(run)]).toEqual([0, ["drop-in"]]);
  expect(await inside(`cat ${dropIn}`)).toBe("MaxAuthTries 4\n");
});

test("sshd is started by a socket: a wrong port for the socket is reverted", async () => {
  await inside(
    "systemctl disable --now ssh.service; systemctl enable --now ssh.socket; mkdir -p /etc/systemd/system/ssh.socket.d",
  );
  await host.answers(10);
  const socket = (ports: string): string =>
    play(`file({ path: "/etc/systemd/system/ssh.socket.d/port.conf", content: "[Socket]\\nListenStream=\\n${ports}" }, { name: "port" }),
command({ command: ["sh", "-c", "systemctl daemon-reload; systemctl stop ssh.service; systemctl restart ssh.socket"], always: true }, { name: "restart" })`);
  const early = await host.run(
    play(`file({ path: "/etc/systemd/system/ssh.socket.d/port.conf", content: "[Socket]\\nBacklog=99\\n" }), boom`),
  );
  expect(ends(early.events).at(-1), early.text).toMatchObject({ title: "boom", outcome: "failed" });
  // The socket's service is running, because this connection has started it.
  expect(await inside("systemctl is-active ssh.socket")).toBe("active\n");
  const bad = await host.run(socket("ListenStream=2222\\n"));
  expect(bad.text).toContain("the host has reverted it");
  expect(warnings(bad.events).join(" ")).toContain("reverted by the host: port");
  await host.answers(0);
  expect(await inside("systemctl is-active ssh.socket; ls /etc/systemd/system/ssh.socket.d")).toBe("active\n");
  const good = await host.run(socket("ListenStream=22\\nListenStream=2222\\n"));
  expect([good.code, confirmedOf(good)], good.text).toEqual([0, ["port"]]);
  expect(await inside("ss -ltnH | grep -c :2222")).toBe("1\n");
  expect(await host.traces()).toBe("");
});

test("the host reboots before the socket's new port is confirmed: sshd listens as before", async () => {
  const path = "/etc/systemd/system/ssh.socket.d/port.conf";
  const before = await inside(`cat ${path}`);
  const run = host.startPlay(
    "run",
    play(`file({ path: "${path}", content: "[Socket]\\nListenStream=\\nListenStream=2222\\n" }, { name: "port" }),
command({ command: ["sleep", "60"], always: true }, { name: "sleep" })`),
    60,
  );
  await run.until((events) => outcomes(events).includes("port changed"));
  run.child.kill("SIGKILL");
  await run.ended;
  await inside("systemctl reboot");
  await sleep(3000);
  await host.answers(60);
  expect(await inside(`cat ${path}`)).toBe(before);
  expect(await inside("systemctl is-active ssh.socket; journalctl -b --no-pager | grep -i 'ordering cycle'")).toBe(
    "active\n",
  );
  expect(await host.traces()).toBe("");
});
