import type { BecomeOptions } from "../../core/inventory-entries.ts";
import type { Play } from "../../core/playbook.ts";

/** How a task reaches its host. */
export interface Reach {
  /** Undefined where the user of the connection is the right one. */
  readonly become: BecomeOptions | undefined;
  /** The user of that session; undefined where nobody knows before it is open. */
  readonly user: string | undefined;
}

/**
 * The session for a task in a play that becomes `play`, where the task names the user `own`. Root acts as anybody inside
 * its own session (`stepsAs`); any other user needs a session opened as `own`, from the user of the connection.
 */
export function reachOf(
  play: BecomeOptions | undefined,
  own: string | undefined,
  userFor: ((become: BecomeOptions | undefined) => string) | undefined,
): Reach {
  const user = userFor?.(play) ?? (play && (play.user ?? "root"));
  if (own === undefined || own === user || user === "root") return { become: play, user };
  const login = userFor?.(undefined);
  return own === login ? { become: undefined, user: login } : { become: { ...play, user: own }, user: own };
}

/** Whom a play becomes; undefined for nobody. */
export function becomeOf({ become }: Play<never>): BecomeOptions | undefined {
  if (become === undefined || become === false) return undefined;
  if (become === true) return { user: "root" };
  return typeof become === "string" ? { user: become } : become;
}
