import { z } from "../../src/authoring.ts";
import { unitName } from "../../src/facts/catalogue.ts";

/** The section that is specific to a type of unit, keyed by the suffix of the unit's name; a target has none. */
const ownSections: Readonly<Record<string, string>> = {
  service: "Service",
  socket: "Socket",
  timer: "Timer",
  mount: "Mount",
  automount: "Automount",
  path: "Path",
  slice: "Slice",
  swap: "Swap",
  scope: "Scope",
};

/** The types of unit that a file can define (systemd.unit(5)); systemd makes scopes and devices itself. */
const definable = /\.(service|socket|timer|mount|automount|path|target|slice|swap)$/;

const single = z.union(
  [
    z
      .string()
      .refine((text) => !/[\n\r\0]/.test(text), "a value on one line")
      .refine((text) => text === text.trim(), "a value without spaces around it, which systemd would remove")
      .refine(
        (text) => !text.endsWith("\\"),
        "a value without a backslash at its end, which would join it to the next line",
      ),
    z.number(),
    z.boolean(),
  ],
  { error: "text on one line, a number, true or false, or a list of these" },
);
const value = z.union([single, z.array(single).min(1, "at least one value; an empty string resets a list")], {
  error: "text on one line, a number, true or false, or a list of these",
});

const key = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'the name of a setting, like "ExecStart"');
const section = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'the name of a section, like "Service"');

const place = {
  name: z
    .string({ error: 'the name of a systemd unit, like "backup.timer"' })
    .regex(/^[\w:.\\-]+(@[\w:.\\-]*)?$/, 'the name of a systemd unit, like "backup.timer" or "worker@.service"')
    .max(248, "at most 248 characters")
    .describe("Name of the unit or template; without a suffix it is a service"),
  dropIn: z
    .string({ error: 'the name of a drop-in, like "10-limits"' })
    .regex(/^[A-Za-z0-9][\w.-]*$/, 'the name of a drop-in, like "10-limits"')
    .refine((text) => !text.endsWith(".conf"), "a name without .conf, which furrow adds")
    .optional()
    .describe("Name of a drop-in, which changes an existing unit; without it, the task defines the unit itself"),
};

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const isDefinable = (p: { readonly name: string; readonly dropIn?: string | undefined }): boolean =>
  p.dropIn !== undefined || definable.test(unitName(p.name));

/** Params of `systemdUnit`. */
export const params = z.union([
  z
    .strictObject({
      ...place,
      state: z
        .literal("present")
        .default("present")
        .describe("The file exists with these sections, and systemd has loaded it"),
      sections: z
        .record(section, z.record(key, value))
        .refine((all) => Object.keys(all).length > 0, "at least one section")
        .describe("Sections with their settings, in the order of the file; a list sets a name several times"),
    })
    .refine(isDefinable, {
      path: ["name"],
      message: "a unit that a file can define; a scope or device can only get a drop-in",
    })
    .superRefine((p, context) => {
      const unknown = unknownSection(unitName(p.name), p.sections);
      if (unknown !== undefined)
        context.addIssue({ code: "custom", path: ["sections", unknown.section], message: unknown.expected });
    }),
  z
    .strictObject({
      ...place,
      state: z.literal("absent").describe("The file does not exist, and systemd has unloaded the unit"),
    })
    .refine(isDefinable, {
      path: ["name"],
      message: "a unit that a file can define; a scope or device can only get a drop-in",
    }),
]);

/** Parsed params of `systemdUnit`. */
export type Params = z.output<typeof params>;

function unknownSection(
  unit: string,
  sections: Sections,
): { readonly section: string; readonly expected: string } | undefined {
  const own = ownSections[/\.(\w+)$/.exec(unit)?.[1] ?? ""];
  const known = ["Unit", ...(own === undefined ? [] : [own]), "Install"];
  const odd = Object.keys(sections).find((name) => !known.includes(name) && !name.startsWith("X-"));
  return odd === undefined
    ? undefined
    : { section: odd, expected: `a section of ${unit}: ${known.join(", ")}, or one that begins with X-` };
}

/** The text of the file, in the order in which the sections and settings are given (systemd.syntax(7)). */
export function unitText(sections: Sections): string {
  return Object.entries(sections)
    .map(
      ([name, settings]) =>
        `[${name}]\n${Object.entries(settings)
          .flatMap(([one, given]) => lines(one, given))
          .join("")}`,
    )
    .join("\n");
}

function lines(name: string, given: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(given) ? given : [given];
  return all.map((one) => `${name}=${typeof one === "boolean" ? (one ? "yes" : "no") : String(one)}\n`);
}
