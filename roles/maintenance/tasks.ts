import { absent, file, operator, type Refusal, refuse, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";
import { maintenanceMarker } from "../cluster/places.ts";
import {
  clearing,
  isOfPlaybook,
  type Reason,
  reasonsIn,
  sentences,
  shown,
  withoutReason,
  withReason,
} from "./marker.ts";

const node = z.string().optional().describe("The node that the maintenance concerns; default: the whole cluster");

/**
 * Puts the host under maintenance, so that the watchdog does not start any nodes. Other reasons in the marker are kept.
 */
export const maintenanceBegun = task({
  name: "maintenanceBegun",
  summary: "Record that the host is under maintenance, since when, by whom and why",
  params: z.strictObject({
    by: z.string().describe("Name of the playbook, without folder and suffix"),
    node,
    why: z.string().describe("The reason, as a sentence without a period at the end"),
  }),
  examples: [],
  title: ({ why }) => `maintenance: ${why}`,
})
  .facts(() => ({ marker: file(maintenanceMarker, ["text"]), operator: operator() }))
  .want((p, { marker, operator: { who, since } }) => {
    if (isUnreadable(marker)) return unreadable();
    return { marker: { type: "file", text: withReason(fileText(marker), { ...p, who, since }) } };
  })
  .steps(
    (
      p,
      {
        change,
        now: {
          marker,
          operator: { who, since },
        },
      },
    ) => [
      change.marker && {
        step: "writeFile",
        path: maintenanceMarker,
        text: withReason(fileText(marker), { ...p, who, since }),
        mode: "0644",
      },
    ],
  )
  .notes((p, { marker }) => {
    const others = reasonsIn(fileText(marker) ?? "").filter((one) => !isOfPlaybook(one) || one.node !== p.node);
    return fileText(marker) === undefined ? [] : sentences(others, "also: ");
  });

/** Refuses a marker that cannot be read, before the first change of a playbook that begins or ends maintenance. */
export const maintenanceReadable = task({
  name: "maintenanceReadable",
  summary: "Refuse a maintenance marker that does not say who set it and why",
  params: z.strictObject({}),
  examples: [],
  title: () => "the maintenance marker can be read",
})
  .facts(() => ({ marker: file(maintenanceMarker, ["text"]) }))
  .want((_p, { marker }) => (isUnreadable(marker) ? unreadable() : {}))
  .steps(() => []);

/** Ends the maintenance that was begun for a node or for the whole cluster. Other reasons are kept and reported. */
export const maintenanceEnded = task({
  name: "maintenanceEnded",
  summary: "Clear one reason for maintenance; if there is no other reason, the watchdog works again",
  params: z.strictObject({ node }),
  examples: [],
  title: (p) => `no maintenance of ${p.node ?? "the cluster"}`,
})
  .facts(() => ({ marker: file(maintenanceMarker, ["text"]) }))
  .want((p, { marker }) => {
    if (isUnreadable(marker)) return unreadable();
    const left = textWithout(marker, p.node);
    return { marker: left === undefined ? absent : { type: "file", text: left } };
  })
  .steps((p, { change, now: { marker } }) => {
    const left = textWithout(marker, p.node);
    return [
      change.marker &&
        (left === undefined
          ? { step: "remove", path: maintenanceMarker, recursive: false }
          : { step: "writeFile", path: maintenanceMarker, text: left, mode: "0644" }),
    ];
  })
  .notes((p, { marker }) => {
    const left = textWithout(marker, p.node);
    return left === undefined ? [] : sentences(reasonsIn(left), "still ");
  });

/** Reports why the host is under maintenance; reports nothing if it is not. */
export const maintenanceShown = task({
  name: "maintenanceShown",
  summary: "Report when, by whom and why the host was put under maintenance",
  params: z.strictObject({}),
  examples: [],
  title: () => "maintenance",
})
  .facts(() => ({ marker: file(maintenanceMarker, ["text", "changed"]) }))
  .want(() => ({}))
  .steps(() => [])
  .notes((_p, { marker }) => sentences(reasonsOf(marker)));

/**
 * Refuses to work on a cluster that was shut down, or from which a node is being removed: the playbook that began the
 * work must finish it. A marker that a person set is only reported.
 */
export const noMaintenance = task({
  name: "noMaintenance",
  summary: "Refuse while another playbook keeps the cluster under maintenance",
  params: z.strictObject({}),
  examples: [],
  title: () => "no maintenance",
})
  .facts(() => ({ marker: file(maintenanceMarker, ["text", "changed"]) }))
  .want((_p, { marker }) => {
    const [found] = reasonsOf(marker).filter(isOfPlaybook);
    if (found === undefined) return {};
    const first = shown(found);
    const setter = [first.who, `(${first.by})`].filter(Boolean).join(" ");
    return refuse({
      code: "under-maintenance",
      message: `the cluster is under maintenance: ${first.why}`,
      current: `${first.since === "" ? "set" : `since ${first.since}`} by ${setter}`,
      expected: "no maintenance, or only maintenance that a person began",
      hint: `Finish it first: ${clearing(first)}`,
    });
  })
  .steps(() => [])
  .notes((_p, { marker }) => sentences(reasonsOf(marker)));

/** The marker as the tasks read it. */
export type Marker = typeof absent | { readonly type: string; readonly text?: string; readonly changed?: number };

/** Returns the reasons in the marker; none if there is no marker. */
export function reasonsOf(marker: Marker): Reason[] {
  if (marker === absent) return [];
  const changed = typeof marker.changed === "number" ? marker.changed : undefined;
  const since = changed === undefined ? "" : `${new Date(changed / 1000).toISOString().slice(0, 19)}Z`;
  // Anything at this path stops the watchdog, even if it is not a text file.
  const reasons = reasonsIn(marker.text ?? `${maintenanceMarker} exists`);
  return reasons.map((reason) => (reason.since === "" ? { ...reason, since } : reason));
}

function textWithout(marker: Marker, about: string | undefined): string | undefined {
  const text = fileText(marker);
  return text === undefined ? undefined : withoutReason(text, { node: about });
}

function isUnreadable(marker: Marker): boolean {
  return marker !== absent && (marker.type !== "file" || marker.text === undefined);
}

function unreadable(): Refusal {
  return refuse({
    code: "marker-unreadable",
    message: `${maintenanceMarker} is not a text file, so furrow cannot tell who set it and why`,
    hint: `Find out who created it, then remove it: rm -r ${maintenanceMarker}`,
  });
}
