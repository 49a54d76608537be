import type { Play } from "../../core/authoring/playbook.ts";
import type { RunHost, RunRequest } from "../../engine/plan/request.ts";
import { count, position } from "../../report/text/words.ts";
import type { HostBook } from "../hosts.ts";
import { warn } from "../terminal.ts";

type Cut = Required<Pick<RunRequest, "allHostsOf" | "hostsRead">>;

/**
 * Returns the part of a run's request that deals with `--limit`. If a play reads `hosts` and the limit has shortened
 * that list, a notice says so once per play, because a file generated from the list would lack some hosts.
 */
export function cutHosts(book: Pick<HostBook, "booked" | "limited" | "match">, say = warn): Cut {
  const all = new Map<string, readonly RunHost[]>();
  const told = new Set<Play<never>>();
  return {
    allHostsOf: ({ hosts: pattern }) => {
      if (typeof pattern !== "string") return [];
      const known = all.get(pattern) ?? book.match(pattern).map((host) => book.booked(host));
      all.set(pattern, known);
      return known;
    },
    hostsRead: (play, source) => {
      if (told.has(play) || typeof play.hosts !== "string") return;
      told.add(play);
      const [some, whole] = [book.limited(play.hosts).length, book.match(play.hosts).length];
      if (some === whole) return;
      const at = source === undefined ? "" : ` (${position(source, process.cwd())})`;
      say(
        `play ${play.name ?? play.hosts} reads \`hosts\`${at}, which contains ${some} of the play's ${count(whole, "host")} because of --limit; \`allHosts\` contains all of them`,
      );
    },
  };
}
