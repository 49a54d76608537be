import { FurrowError } from "../../../core/errors.ts";

/** The host of a task that may cut the connection, with the properties that matter for an undo. */
interface Guardable {
  readonly name: string;
  /** The user of the task's session; undefined if it is not known. */
  readonly user: string | undefined;
  readonly hasSystemd: boolean;
  /** The host that the task acts on. */
  readonly target: string;
  readonly playHost: string;
}

/**
 * Throws FurrowError E_REFUSED if the host could not revert the task's change. `firewall`: a firewall whose change
 * cannot be undone.
 */
export function refuseUnguarded(host: Guardable, firewall: string | undefined): void {
  const refused = (what: string, hint: string): FurrowError =>
    new FurrowError("E_REFUSED", {
      what: `${what}, so --confirm-within cannot guard this change`,
      where: { host: host.name },
      hint,
    });
  if (firewall !== undefined) {
    throw refused(
      `furrow cannot undo ${firewall}`,
      `Run ${firewall} without --confirm-within, and keep a console open, or use nftables or firewalld`,
    );
  }
  if (host.target !== host.playHost)
    throw refused(`the task acts on ${host.target}, not on the play's host`, "Move the task to a play for that host");
  if (host.user !== undefined && host.user !== "root")
    throw refused(`the task's session belongs to ${host.user}, not to root`, "Set become: true for the play");
  if (!host.hasSystemd)
    throw refused("the host does not run systemd", "Leave out --confirm-within for this host, and keep a console open");
}
