import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Lab, type LabHost, labDown, labUp, runInHost } from "../../src/lab/index.ts";
import { type Proxy, startProxy } from "../transport/ssh/proxy.ts";
import { ProcessStarts } from "./process-starts.ts";

/** The units that a test counts to find a certain point in a run. */
export type Measure = "bytes" | "starts";

/** The ways in which a connection can be lost. */
export type Loss = "reset" | "half open" | "sshd restarted";

/** A lab host behind a cable that can be unplugged. Counts the program starts on the host. */
export class TorturedHost {
  readonly lab: Lab;
  readonly host: LabHost;
  readonly proxy: Proxy;
  readonly starts: ProcessStarts;
  /** Number of program starts so far. */
  started = 0;
  #watch: { left: number; act: () => void } | undefined;
  #onStart: ((line: string) => boolean) | undefined;

  private constructor(lab: Lab, host: LabHost, proxy: Proxy) {
    this.lab = lab;
    this.host = host;
    this.proxy = proxy;
    this.starts = new ProcessStarts(host);
    this.starts.listen((line) => this.#started(line));
  }

  static async up(name: string): Promise<TorturedHost> {
    const lab = await labUp({ name, hosts: 1, replace: true });
    const [host] = lab.hosts;
    if (host === undefined) throw new Error("the lab has no host");
    const proxy = await startProxy(host.port, 0, host.address);
    const tortured = new TorturedHost(lab, host, proxy);
    await tortured.starts.attach();
    return tortured;
  }

  async down(): Promise<void> {
    this.starts.close();
    await this.proxy.close();
    await labDown({ name: this.lab.name });
  }

  /** Writes the playbook, and an inventory that reaches this host through the cable. */
  write(folder: string, playbook: string): void {
    const { identityFile } = this.lab;
    const entry = { address: "127.0.0.1", port: this.proxy.port, user: "root", identityFile, hostKeyPolicy: "off" };
    const text = JSON.stringify({ hosts: { victim: { ...entry, keepaliveSeconds: 1 } } });
    writeFileSync(
      join(folder, "inventory.ts"),
      `import { inventory } from "furrow";\nexport default inventory(${text} as never);\n`,
    );
    writeFileSync(join(folder, "work.ts"), playbook);
  }

  /** Runs a shell script on the host without ssh. Returns its stdout. */
  async sh(script: string): Promise<string> {
    return (await runInHost(this.host, ["sh", "-c", script])).stdout;
  }

  /** Calls `act` once, after this many bytes on the cable or program starts on the host. */
  after(measure: Measure, count: number, act: () => void): void {
    if (measure === "bytes") this.proxy.after(count, act);
    else this.#watch = { left: count, act };
  }

  /** Calls `act` at the first program start that satisfies the condition. */
  onStart(test: (line: string) => boolean, act: () => void): void {
    this.#onStart = (line) => {
      if (!test(line)) return false;
      act();
      return true;
    };
  }

  /** Cancels everything that `after` and `onStart` have scheduled. */
  spare(): void {
    this.#watch = undefined;
    this.#onStart = undefined;
    this.proxy.after(Infinity, () => {});
  }

  #started(line: string): void {
    this.started += 1;
    if (this.#onStart?.(line) === true) this.#onStart = undefined;
    if (!this.#watch) return;
    this.#watch.left -= 1;
    if (this.#watch.left > 0) return;
    const { act } = this.#watch;
    this.#watch = undefined;
    act();
  }

  /**
   * Breaks the current connection, or else the next one. Throws if furrow ends before it has opened a connection.
   *
   * @param ended resolves when furrow has ended
   */
  async lose(loss: Loss, ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    void ended.then(() => (isOver = true));
    while (this.proxy.connections() === 0) {
      if (isOver) throw new Error("furrow ended although its connection was to be lost once more");
      await sleep(20);
    }
    if (loss === "reset") this.proxy.cut();
    else if (loss === "half open") this.proxy.freeze();
    else {
      // A session that was opened before tracing began could start programs unnoticed.
      this.proxy.refuse(true);
      await this.sh("systemctl stop ssh; pkill -KILL -f '^sshd: root@'; systemctl start ssh");
      await this.starts.attach();
      this.proxy.refuse(false);
    }
  }
}
