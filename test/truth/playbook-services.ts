import type { Node } from "../../src/authoring.ts";
import { root } from "../../tasks/ca-certificate/certificates.fixture.ts";
import * as t from "../../tasks/index.ts";
import type { Next } from "./playbook-files.ts";

const unit = `[Service]
ExecStart=/bin/sh -c '. /etc/new.env; exec sleep 100000'
[Install]
WantedBy=multi-user.target
`;

/**
 * Tasks for units that are new, running, due for a restart, or no longer needed; for kernel settings, the hostname, the
 * time zone and the packet filter.
 */
export function services(next: Next): Node[] {
  const env = t.file({ path: "/etc/new.env", content: "A=1\n" }, next());
  const file = t.file({ path: "/etc/systemd/system/new.service", content: unit }, next());
  const service = t.service({ name: "new", state: "started", enabled: true, restartOn: [env, file] }, next());
  // This command does not run, because the unit is active by then.
  const isRunning = t.command(
    {
      command: "exit 4",
      unless: ["systemctl", "is-active", "new"],
      readOnly: true,
      reads: ["unit:new.service"],
      disturbs: [],
    },
    next(),
  );
  const steady = t.file({ path: "/etc/steady.env", content: "S=2\n" }, next());
  return [
    env,
    file,
    service,
    isRunning,
    steady,
    t.service({ name: "steady", state: "started", restartOn: [steady] }, next()),
    t.service({ name: "cron", state: "started", enabled: true }, next()),
    t.service({ name: "unwanted", state: "stopped", enabled: false }, next()),
    t.service({ name: "masked", state: "stopped", masked: true }, next()),
    t.sysctl({ key: "net.ipv4.ip_forward", value: 1 }, next()),
    t.sysctl({ key: "net.ipv4.conf.default.rp_filter", value: 2, persist: false }, next()),
    t.nftables({ table: "truth", rules: "chain in {\n  type filter hook input priority 5; policy accept;\n}" }, next()),
    t.hostname({ name: "truth-host" }, next()),
    t.timezone({ name: "Europe/Berlin" }, next()),
    t.systemdUnit({ name: "truth.timer", sections: { Timer: { OnCalendar: "yearly", Unit: "new.service" } } }, next()),
    t.service({ name: "truth.timer", state: "started" }, next()),
    t.systemdUnit({ name: "cron", dropIn: "10-truth", sections: { Service: { CPUWeight: 50 } } }, next()),
    t.caCertificate({ name: "truth-root", content: root }, next()),
    t.kernelModule({ name: "floppy", state: "blacklisted" }, next()),
  ];
}
