import type { BecomeOptions } from "../../core/inventory/inventory-entries.ts";
import type { Play } from "../../core/authoring/playbook.ts";

/** The session that a task uses on its host. */
export interface TaskSession {
  /** Undefined if the session runs as the user who logged in. */
  readonly become: BecomeOptions | undefined;
  /** The user of that session; undefined if it is known only once the session is open. */
  readonly user: string | undefined;
}

/**
 * The session for a task that acts as the user `own`, in a play that acts as the user `play`. Root acts as any user
 * inside its own session (`stepsAs`). If the play's session runs as any other user, the task needs a separate session,
 * in which the login user becomes `own`.
 */
export function taskSession(
  play: BecomeOptions | undefined,
  own: string | undefined,
  userFor: ((become: BecomeOptions | undefined) => string) | undefined,
): TaskSession {
  const user = userFor?.(play) ?? (play && (play.user ?? "root"));
  if (own === undefined || own === user || user === "root") return { become: play, user };
  const login = userFor?.(undefined);
  return own === login ? { become: undefined, user: login } : { become: { ...play, user: own }, user: own };
}

/** The user that a play becomes, and how; undefined if the play does not switch users. */
export function becomeOf({ become }: Play<never>): BecomeOptions | undefined {
  if (become === undefined || become === false) return undefined;
  if (become === true) return { user: "root" };
  return typeof become === "string" ? { user: become } : become;
}
