import type { NodeKind } from "./rke2.ts";

/**
 * The sections of RKE2's unit (bundle/lib/systemd/system in rancher/rke2). With the prefix that furrow uses, RKE2's
 * install.sh puts the unit in /etc, and writes the program's actual path into it. furrow does the same, so check mode
 * knows the unit before the tarball is unpacked.
 */
export function unitSections(kind: NodeKind) {
  const other = kind === "server" ? "agent" : "server";
  return {
    Unit: {
      Description: `Rancher Kubernetes Engine v2 (${kind})`,
      Documentation: "https://github.com/rancher/rke2#readme",
      Wants: "network-online.target",
      After: "network-online.target",
      Conflicts: `rke2-${other}.service`,
    },
    Install: { WantedBy: "multi-user.target" },
    Service: {
      Type: "notify",
      EnvironmentFile: ["-/etc/default/%N", "-/etc/sysconfig/%N", "-/opt/rke2/lib/systemd/system/%N.env"],
      KillMode: "process",
      Delegate: true,
      LimitNOFILE: 1_048_576,
      LimitNPROC: "infinity",
      LimitCORE: "infinity",
      TasksMax: "infinity",
      TimeoutStartSec: 0,
      Restart: "always",
      RestartSec: "5s",
      ExecStartPre: [
        "/bin/sh -xc '! /usr/bin/systemctl is-enabled --quiet nm-cloud-setup.service'",
        "-/sbin/modprobe br_netfilter",
        "-/sbin/modprobe overlay",
      ],
      ExecStart: `/opt/rke2/bin/rke2 ${kind}`,
      ExecStopPost: `-/bin/sh -c "systemd-cgls /system.slice/%n | grep -Eo '[0-9]+ (containerd|kubelet)' | awk '{print $1}' | xargs -r kill"`,
    },
  };
}
