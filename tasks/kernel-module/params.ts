import { z } from "../../src/authoring.ts";

const value = z.union(
  [z.int(), z.boolean().transform((flag) => (flag ? "Y" : "N")), z.string().regex(/^[^\s"'#\\]+$/)],
  { error: 'a number, true or false, or text without spaces and quotes, like "eth0,eth1"' },
);

const name = z
  .string({ error: 'the name of a kernel module, like "br_netfilter"' })
  .max(55, "at most 55 characters, the longest name that the kernel accepts")
  .regex(/^[A-Za-z0-9][\w-]*$/, 'the name of a kernel module, like "br_netfilter"')
  .describe("Name of the module; `-` and `_` mean the same");

/** Params of `kernelModule`. */
export const params = z.union([
  z.strictObject({
    name,
    state: z.literal("loaded").default("loaded").describe("Loaded now and, by default, at every boot; or built in"),
    options: z
      .record(z.string().regex(/^\w+$/, "the name of a module parameter, like `nested`"), value)
      .optional()
      .describe(
        "Parameters that the module gets whenever it is loaded: true and false become Y and N; a note says if the " +
          "initramfs, which may load the module, is older",
      ),
    persist: z.boolean({ error: "true or false" }).default(true).describe("Load the module at every boot too"),
  }),
  z.strictObject({
    name,
    state: z.literal("unloaded").describe("Not loaded, and not loaded by furrow at boot; hardware may still load it"),
  }),
  z.strictObject({
    name,
    state: z
      .literal("blacklisted")
      .describe(
        "Not loaded, and not loaded by hardware, another module or a user; an initramfs that contains the module " +
          "ignores this until it is rebuilt, and a note says if the initramfs is older",
      ),
  }),
]);

/** Parsed params of `kernelModule`. */
export type Params = z.output<typeof params>;
/** The params if the module must be loaded. */
export type Loaded = Extract<Params, { readonly state: "loaded" }>;
