import {
  absent,
  file,
  type FileState,
  mayRefuse,
  onlyRead,
  type Refusal,
  refuse,
  task,
  z,
} from "../../src/authoring.ts";
import { isZoneName, nearestZone } from "../../src/facts/catalogue.ts";

const expected = 'the name of a time zone, like "Europe/Berlin" or "UTC"';

/** Sets the host's time zone. */
export const timezone = task({
  name: "timezone",
  summary: "Set the host's time zone",
  params: z.strictObject({
    name: z
      .string({ error: expected })
      .refine(isZoneName, expected)
      .describe("Name of the zone in the tz database: `Europe/Berlin`, `UTC`"),
  }),
  examples: [{ name: "Europe/Berlin" }, { name: "UTC" }],
  title: (p) => `timezone ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({
    zone: mayRefuse(onlyRead(file(zonePath(p.name)))),
    local: file(localtime),
    saved: file(nameFile, ["text"]),
  }))
  .want((p, { zone, local, saved }) => {
    if (zone === absent || zone.type === "directory" || zone.type === "other") return noZone(p.name, zone);
    if (local !== absent && (local.type === "directory" || local.type === "other")) return inTheWay(local.type);
    return {
      local: isLinkTo(local, p.name) ? undefined : { type: "link", target: zonePath(p.name) },
      saved: saved === absent || zoneIn(saved) === p.name ? undefined : { type: "file", text: `${p.name}\n` },
    };
  })
  // The link is created last: until then, a rerun sees that the zone is not set.
  .steps((p, { change }) => [
    change.saved && { step: "writeFile", path: nameFile, text: `${p.name}\n` },
    change.local && { step: "link", path: localtime, target: zonePath(p.name) },
  ]);

/** The zone that programs use: a link into the tz database (localtime(5)). */
const localtime = "/etc/localtime";

/** The zone's name as text, which Debian's tzdata reads when it is upgraded. Other systems do not have the file. */
const nameFile = "/etc/timezone";

function zonePath(name: string): string {
  return `/usr/share/zoneinfo/${name}`;
}

/** True for a link to the zone, absolute or, as timedatectl writes it, relative. */
function isLinkTo(local: FileState | typeof absent, name: string): boolean {
  if (local === absent || local.type !== "link") return false;
  return local.target === zonePath(name) || local.target === `..${zonePath(name)}`;
}

function zoneIn({ text }: { readonly text?: string }): string | undefined {
  return text?.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#"));
}

function noZone(name: string, zone: FileState | typeof absent): Refusal {
  const nearest = nearestZone(name);
  return refuse({
    code: "no-zone",
    message: `the host has no time zone ${name}`,
    current: zone === absent ? `no ${zonePath(name)}` : `${zonePath(name)} is not a file`,
    expected: "a file of the tz database",
    hint: nearest === undefined ? "Check the name, or first install the tzdata package" : `Write name: "${nearest}"`,
    missing: `file:${zonePath(name)}`,
  });
}

function inTheWay(type: "directory" | "other"): Refusal {
  return refuse({
    code: "not-a-file",
    message: `${localtime} is ${type === "directory" ? "a directory" : "a special file"}`,
    expected: `a link to a file below ${zonePath("")}`,
    hint: "Find out what created it, and remove it by hand",
  });
}
