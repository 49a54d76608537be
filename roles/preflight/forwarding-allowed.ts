import { refuse, task, userCommand, z } from "../../src/authoring.ts";

/** Succeeds if sshd reports that it forwards no connections. A host without sshd is not reached over SSH. */
export const forwardingScript = `PATH=$PATH:/usr/sbin:/sbin sshd -T 2>/dev/null | grep -qixE 'allowtcpforwarding (no|remote)|disableforwarding yes'`;

/** The files that `sshd -T` reads. */
const forwardingReads = ["file:/etc/ssh/**", "package:openssh*"];

/**
 * Refuses a host whose sshd forwards no connections: furrow logs in to the nodes through the host, and would find out
 * only after the installation that sshd does not allow this.
 */
export const forwardingAllowed = task({
  name: "forwardingAllowed",
  summary: "Refuse a host through which furrow cannot log in to the nodes",
  params: z.strictObject({}),
  examples: [],
  title: () => "furrow can log in to the nodes through the host, to fetch the kubeconfig",
})
  .facts(() => ({
    sshd: userCommand({ argv: ["sh", "-c", forwardingScript] }, { readOnly: true, reads: forwardingReads }),
  }))
  .want((_p, { sshd }) => {
    if (sshd.exitCode !== 0) return {};
    return refuse({
      code: "no-forwarding",
      message: "the host's sshd forwards no connections, so the kubeconfig could not be fetched after the installation",
      current: "AllowTcpForwarding no, or DisableForwarding yes",
      expected: "AllowTcpForwarding yes or local",
      hint: "Allow it in /etc/ssh/sshd_config, or set kubeconfig: false",
    });
  })
  .steps(() => []);
