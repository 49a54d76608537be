import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Lab, labDown, type LabHost, labUp, runInHost } from "../../src/lab/index.ts";
import { type Controller, type Event, startFurrow } from "../torture/controller.ts";
import { ends } from "./task-ends.ts";

/** The sshd drop-in that the plays write. */
export const dropIn = "/etc/ssh/sshd_config.d/10-site.conf";

/** The titles and outcomes of all tasks, in order. */
export const outcomes = (events: readonly Event[]): string[] =>
  ends(events).map(({ title, outcome }) => `${title} ${outcome}`);

/** A lab host and a folder with an inventory for it, for runs with `--confirm-within`. */
export class ConfirmHost {
  readonly folder = mkdtempSync(join(tmpdir(), "furrow-confirm-"));
  readonly #name: string;
  #lab: Lab | undefined;
  #host: LabHost | undefined;

  /** `name`: the lab's name. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Starts the host. Its users are root and admin, who may become root. */
  async up(): Promise<void> {
    this.#lab = await labUp({ name: this.#name, hosts: 1, replace: true });
    [this.#host] = this.#lab.hosts;
    symlinkSync(join(import.meta.dirname, "..", "..", "node_modules"), join(this.folder, "node_modules"));
    const { identityFile, knownHostsFile } = this.#lab;
    const address = this.#host?.address;
    const entry = { address, user: "root", identityFile, knownHostsFile, connectTimeoutSeconds: 5 };
    const hosts = { one: entry, admin: { ...entry, user: "admin" }, slow: { ...entry, connectTimeoutSeconds: 40 } };
    writeFileSync(
      join(this.folder, "inventory.ts"),
      `import { inventory } from "furrow";\nexport default inventory({ hosts: ${JSON.stringify(hosts)} } as never);\n`,
    );
    await this.inside(`grep -q '^Include /etc/ssh/sshd_config.d' /etc/ssh/sshd_config ||
sed -i '1iInclude /etc/ssh/sshd_config.d/*.conf' /etc/ssh/sshd_config; mkdir -p /etc/ssh/sshd_config.d; systemctl restart ssh`);
  }

  /** Removes the host and the folder. */
  async down(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    await labDown({ name: this.#name });
  }

  /** Runs a script inside the host, without a connection. Returns what it prints. */
  async inside(script: string): Promise<string> {
    if (this.#host === undefined) throw new Error("the host is not up");
    return (await runInHost(this.#host, ["sh", "-c", script], { allowFailure: true })).stdout;
  }

  /** What an undo may leave behind: timers, units, and armed undos. */
  traces(): Promise<string> {
    return this.inside(
      "ls /etc/systemd/system | grep furrow-undo; systemctl list-timers --all --no-legend | grep furrow-undo; ls -d /var/lib/furrow/undo/*/armed 2>/dev/null",
    );
  }

  /** Starts a play that writes an sshd drop-in and restarts sshd; `more` adds tasks at the end. */
  start(verb: "run" | "check", text: string, seconds: number | undefined, more = ""): Controller {
    return this.startPlay(
      verb,
      `import { command, file, service } from "furrow/tasks";
const config = file({ path: ${JSON.stringify(dropIn)}, content: ${JSON.stringify(text)} }, { name: "drop-in" });
export default playbook({ name: "Sshd", plays: [{ hosts: "one", tasks: () => [
  file({ path: "/etc/harmless", content: ${JSON.stringify(text)} }, { name: "harmless" }),
  config,
  file({ path: "/etc/between", content: ${JSON.stringify(text)} }, { name: "between" }),
  service({ name: "ssh", state: "started", restartOn: [config] }, { name: "sshd" }),
  ${more}
] }] });
void command;
`,
      seconds,
    );
  }

  /** Starts a playbook. */
  startPlay(verb: "run" | "check", text: string, seconds: number | undefined, ...more: string[]): Controller {
    writeFileSync(join(this.folder, "play.ts"), `import { playbook } from "furrow";\n${text}`);
    const flags = seconds === undefined ? [] : ["--confirm-within", String(seconds)];
    return startFurrow(this.folder, verb, "play.ts", "-i", "inventory.ts", "--no-types", ...flags, ...more);
  }

  /** Runs a playbook, and waits for its end. */
  run(text: string, ...more: string[]): Controller["ended"] {
    return this.startPlay("run", text, 20, ...more).ended;
  }

  /** Waits until the host accepts a new connection. */
  async answers(seconds: number): Promise<void> {
    const { knownHostsFile = "", identityFile = "" } = this.#lab ?? {};
    const options = ["BatchMode=yes", "ConnectTimeout=3", `UserKnownHostsFile=${knownHostsFile}`];
    const to = `root@${this.#host?.address ?? ""}`;
    const argv = [...options.flatMap((one) => ["-o", one]), "-i", identityFile, to, "true"];
    for (const end = Date.now() + seconds * 1000; ; await sleep(500)) {
      const isThere = await new Promise((resolve) => {
        execFile("ssh", argv, { timeout: 15_000 }, (error) => resolve(error === null)).stdin?.end();
      });
      if (isThere === true) return;
      if (Date.now() > end) throw new Error("the host does not answer");
    }
  }
}
