import { expect, test } from "vitest";
import { families } from "../../roles/host-packages/families.ts";
import { misfits } from "./compared.ts";
import { hostWith, reliedOn, type ReliedOn } from "./relied-on.ts";

/** The oldest and the newest version that each SUSE family covers. */
const versions = { suse: ["15.6", "16.0"], suseBefore156: ["15.5"] } as const;

/**
 * Names that are in no package: furrow itself writes the unit and the file that the unit loads, and only the program in
 * their text is compared.
 */
const own = new Set(["filter.main", "filter.unit", "filter.text"]);

type Data = Record<string, unknown>;

/** A name in a family's data: where it is, and how to change it. */
interface Name {
  readonly place: string;
  readonly value: string;
  /** Replaces the name. Returns a function that restores it. */
  rename(to: string): () => void;
}

/** Returns every string in a family's data, including the keys of `files`. */
function namesIn(data: Data, path: readonly string[] = []): Name[] {
  return Object.entries(data).flatMap(([key, value]): Name[] => {
    const place = [...path, key].join(".");
    const isFile = path.at(-1) === "files";
    const keys: Name[] = isFile
      ? [{ place: `${place} (path)`, value: key, rename: (to) => renameKey(data, key, to) }]
      : [];
    if (typeof value === "object" && value !== null) return [...keys, ...namesIn(value as Data, [...path, key])];
    if (typeof value !== "string") return keys;
    const rename = (to: string): (() => void) => {
      data[key] = to;
      return () => (data[key] = value);
    };
    return [...keys, { place, value, rename }];
  });
}

function renameKey(data: Data, from: string, to: string): () => void {
  const { [from]: value, ...rest } = data;
  delete data[from];
  data[to] = value;
  return () => {
    for (const key of Object.keys(data)) delete data[key];
    Object.assign(data, { [from]: value, ...rest });
  };
}

/** Appends an ending that no name in the data has; in a unit's name, the ending precedes the suffix. */
function renamed(value: string): string {
  return value.replace(/(\.service|\.socket)?$/, "-renamed$1");
}

const cases = Object.entries(versions).flatMap(([family, list]) =>
  list.flatMap((version) =>
    namesIn(families[family as keyof typeof versions] as unknown as Data).map((name) => ({ family, version, name })),
  ),
);

test("the data contains names of every sort that these tests rename", () => {
  const places = cases.map(({ name: { place } }) => place.split(".")[0] ?? "");
  expect([...new Set(places)].toSorted((a, b) => a.localeCompare(b))).toEqual([
    "airGap",
    "chrony",
    "exposure",
    "files",
    "filter",
    "ipxe",
    "libvirt",
    "nginxUser",
    "packages",
    "starts",
    "uefi",
  ]);
});

test.each(
  cases
    .filter(({ name }) => !own.has(name.place))
    .map((one) => [one.family, one.version, one.name.place, one] as const),
)("%s on %s: a changed name in %s does not match SUSE's data", (_family, _version, _place, { version, name }) => {
  const before = reliedOn(hostWith("sles", version));
  const restore = name.rename(renamed(name.value));
  try {
    const found = misfits(reliedOn(hostWith("sles", version)), version);
    expect(found.join("\n")).toContain(renamed(name.value).split("/").at(-1));
  } finally {
    restore();
  }
  expect(reliedOn(hostWith("sles", version))).toEqual(before);
});

test.each(["packages", "units", "users", "files", "lookedFor"] as const)(
  "a changed name among the %s that the roles use elsewhere also fails to match SUSE's data",
  (part) => {
    const needs = reliedOn(hostWith("sles", "15.7"));
    for (const name of needs[part]) {
      const changed: ReliedOn = { ...needs, [part]: needs[part].map((one) => (one === name ? renamed(name) : one)) };
      expect(misfits(changed, "15.7").join("\n")).toContain(renamed(name));
    }
    expect(needs[part].length).toBeGreaterThan(0);
  },
);

test("the program that furrow's own nftables unit starts on SUSE is among the files that the roles rely on", () => {
  const { files } = reliedOn(hostWith("sles", "15.7"));
  expect(files).toContain("/usr/sbin/nft");
});
