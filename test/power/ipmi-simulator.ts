import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The programs that the simulator's tests need and this machine does not have. */
export const missingIpmiPrograms = ["ipmitool", "ipmi_sim"].filter(
  (name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0,
);

/**
 * OpenIPMI's own simulator of a management controller (ipmi_lan(5), ipmi_sim_cmd(5)), and a machine behind it that
 * obeys a shutdown unless the file `hangs` exists.
 */
export class IpmiSimulator {
  readonly login: { readonly user: string; readonly password: string };
  readonly #address: string;
  #port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "furrow-ipmi-"));
  #simulator: ChildProcess | undefined;

  /** Port 0 stands for any free port. */
  constructor(login: { readonly user: string; readonly password: string }, { address = "127.0.0.1", port = 0 } = {}) {
    this.login = login;
    this.#address = address;
    this.#port = port;
  }

  /**
   * How furrow reaches the simulator. A cipher suite is given because the simulator does not report its cipher suites,
   * and ipmitool would wait for that report.
   */
  get access() {
    return { address: this.#address, port: this.#port, cipherSuite: 3, ...this.login };
  }

  /** `1` if the machine is on. */
  get power(): string {
    return readFileSync(join(this.#folder, "power"), "utf8").trim();
  }

  /** The commands that the machine received. */
  get orders(): string[] {
    const log = join(this.#folder, "log");
    return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
  }

  /** Writes one of the machine's files, such as `power` or `hangs`. */
  write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }

  /** Switches the machine on, and clears the record of its commands. */
  reset(): void {
    this.write("power", "1\n");
    for (const name of ["log", "hangs"]) rmSync(join(this.#folder, name), { force: true });
  }

  /** Starts the simulator, which responds a moment later. */
  async up(): Promise<void> {
    const folder = this.#folder;
    if (this.#port === 0) this.#port = await freePort();
    mkdirSync(join(folder, "state"));
    const auths = ["callback", "user", "operator", "admin"].map(
      (level) => `allowed_auths_${level} none md2 md5 straight`,
    );
    this.write(
      "lan.conf",
      `name "furrow"
set_working_mc 0x20
startlan 1
addr ${this.#address} ${this.#port}
priv_limit admin
${auths.join("\n")}
guid a123456789abcdefa123456789abcdef
endlan
chassis_control "${folder}/chassis 0x20"
user 2 true "${this.login.user}" "${this.login.password}" admin 10 none md2 md5 straight
`,
    );
    this.write("bmc.emu", "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02\nmc_enable 0x20\n");
    this.write(
      "chassis",
      `#!/bin/sh
cd ${folder}
case "$2 $3 $4" in
"get power "*) echo "power:$(cat power)";;
"set power "*) echo "power $4" >>log; echo "$4" >power;;
"set shutdown "*) echo shutdown >>log; [ -e hangs ] || echo 0 >power;;
*) exit 1;;
esac
`,
    );
    chmodSync(join(folder, "chassis"), 0o755);
    this.write("power", "1\n");
    const words = ["-c", "lan.conf", "-f", "bmc.emu", "-s", "state", "-n", "-p"];
    this.#simulator = spawn("ipmi_sim", words, { cwd: folder, stdio: "ignore" });
  }

  down(): void {
    this.#simulator?.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A port that nothing listens on. */
function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  return new Promise((resolve) => {
    socket.bind(0, "127.0.0.1", () => {
      const { port: free } = socket.address();
      socket.close(() => resolve(free));
    });
  });
}
