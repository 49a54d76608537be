import { optimizeFor } from "../../core/optimizer.ts";
import type { Session } from "../../core/host/frame.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { settleSecrets } from "../../load/vars/secrets.ts";
import { type HostFlags, openHostBook } from "../hosts.ts";
import { warnOfLeftOut } from "./left-out.ts";
import { positiveWhole } from "./request.ts";
import { stopSignals } from "./signals.ts";
import { settingsOf, unusedSecrets } from "./unused-secrets.ts";
import { warn } from "../terminal.ts";
import { refuseUnknownKeys } from "../words/unknown-keys.ts";

/** The flags of commands that perform one action on several hosts. */
export interface EachFlags extends HostFlags {
  readonly become?: boolean | undefined;
  readonly forks?: string | undefined;
}

/** The action to perform on one host. */
export type Act<T> = (
  session: Session,
  about: { readonly host: string; readonly connectMs: number; readonly isLocal: boolean },
  signal: AbortSignal,
) => Promise<T>;

/** The result for one host. */
export interface Each<T> {
  readonly host: string;
  readonly value?: T;
  readonly error?: unknown;
}

/**
 * Connects to the hosts that match a pattern and performs one action on each, on `forks` hosts at a time. Calls `done`
 * for each host when it finishes; returns the results in inventory order. Throws FurrowError if it cannot start.
 */
export async function onEachHost<T>(
  pattern: string,
  flags: EachFlags,
  act: Act<T>,
  done: (each: Each<T>) => void = () => {},
): Promise<Each<T>[]> {
  const signals = stopSignals();
  signals.listen();
  try {
    const forks = flags.forks === undefined ? 64 : positiveWhole("--forks", flags.forks);
    const book = await openHostBook(flags, [], signals.stop);
    warnOfLeftOut(book.inventory.leftOut);
    const hosts = book.limited(pattern).map(({ name }) => name);
    if (hosts.length === 0 && flags.limit !== undefined) {
      throw new FurrowError("E_PATTERN", {
        what: `--limit ${flags.limit} excludes every host that ${pattern} names`,
        hint: "Widen --limit, or change the pattern",
      });
    }
    optimizeFor(hosts.length);
    // These commands do not generate secrets, so there is nothing to store.
    const unused = unusedSecrets(book, settingsOf(book, hosts, flags.become === true));
    await settleSecrets({ mode: "check", warn, unused });
    await refuseUnknownKeys(
      hosts.map((name) => book.address(name)),
      signals.stop,
      flags.limit,
    );
    const results = new Map<string, Each<T>>();
    const queue = [...hosts];
    const work = async (): Promise<void> => {
      for (let host = queue.shift(); host !== undefined; host = queue.shift()) {
        const each = await one(host);
        results.set(host, each);
        done(each);
      }
    };
    const aboutHost = (host: string, started: number): Parameters<Act<T>>[1] => ({
      host,
      connectMs: performance.now() - started,
      isLocal: book.address(host).transport === "local",
    });
    const one = async (host: string): Promise<Each<T>> => {
      const started = performance.now();
      try {
        signals.stop.throwIfAborted();
        const session = await book.connect(host, flags.become === true ? {} : undefined, signals.stop, {
          leave: signals.kill,
        });
        try {
          return { host, value: await act(session, aboutHost(host, started), signals.stop) };
        } finally {
          await session.close();
        }
      } catch (error) {
        return { host, error: isFurrowError(error) ? error.at({ host }) : error };
      }
    };
    await Promise.all(Array.from({ length: Math.min(forks, hosts.length) }, work));
    if (signals.stop.aborted) throw new FurrowError("E_INTERRUPTED", { what: "interrupted" });
    return hosts.flatMap((host) => results.get(host) ?? []);
  } finally {
    signals.release();
  }
}
