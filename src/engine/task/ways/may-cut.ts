import type { Ways } from "../../../core/host/play-undo.ts";
import type { Step } from "../../../core/host/step.ts";

/**
 * The ways for a command that only applies changed files. The undo saved these files before an earlier task, so nothing
 * needs to be saved for the command.
 */
export const nothingOfItsOwn: Ways = {
  paths: [],
  folders: [],
  isNetwork: false,
  units: [],
  sysctls: [],
  tables: [],
  commands: [],
};

/** Units that may cut the connection when a command restarts them. */
const units =
  "networkd|networking|network|NetworkManager|sshd?|nftables|firewalld|ip6?tables|wickedd?|wg-quick|tailscaled|sssd|ufw";
/** Programs that may cut the connection by themselves. */
const programs =
  "nft|ip6?tables(-restore)?|ip|bridge|tc|ifup|ifdown|ifreload|ifconfig|route|netplan|nmcli|networkctl|firewall-cmd|ufw|wg|wg-quick|tailscale|wicked|sysctl|brctl|ethtool|sshd|pam-auth-update|authselect|netfilter-persistent";
const cuts = new RegExp(
  `\\b(?:systemctl|service|invoke-rc\\.d|rc-service)\\b.*\\b(?:${units})\\b|(?:^|[\\s/;&|(])(?:${programs})(?:$|[\\s;&|)])`,
  "s",
);

/**
 * True for a command that, judging by its words, may cut the connection once files have changed: it restarts a service
 * that the network or logins depend on, or loads rules. While an undo waits for later tasks, such a command gets the
 * time limit of a risky task (seconds), not that of all other tasks (hours).
 */
export function mayCut(steps: readonly Step[]): boolean {
  return steps.some((step) => step.step === "run" && cuts.test(step.argv.join(" ")));
}
