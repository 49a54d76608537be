import { z } from "../../src/authoring.ts";

const port = z.int().min(0).max(65_535);

/** What a security group lets in. */
export const ruleSchema = z
  .strictObject({
    protocol: z.enum(["tcp", "udp", "icmp", "icmpv6", "all"]).default("tcp").describe("Protocol"),
    port: z
      .union([port, z.strictObject({ from: port.describe("First port"), to: port.describe("Last port") })], {
        error: "a port, like 443, or { from: 8000, to: 8100 }",
      })
      .optional()
      .describe("Port, or from and to; default: all of them"),
    from: z
      .array(
        z
          .string()
          .regex(
            /^(\d{1,3}(\.\d{1,3}){3}\/\d{1,2}|[0-9a-f:]*:[0-9a-f:.]*\/\d{1,3}|(sg|pl)-\w+)$/,
            'a network, like "192.0.2.0/24", or the id of a security group or prefix list',
          ),
      )
      .min(1, "at least one source")
      .describe("Networks, or ids of security groups or prefix lists"),
  })
  .refine(({ protocol, port: asked }) => asked === undefined || protocol === "tcp" || protocol === "udp", {
    message: "a port only with tcp or udp",
    path: ["port"],
  });

/** Rules in the form of the fact: one source each, sorted, none twice. */
export function rulesOf(rules: readonly z.output<typeof ruleSchema>[]): string[] {
  const lines = rules.flatMap(({ protocol, port: asked, from }) => {
    const ports =
      asked === undefined
        ? "all"
        : typeof asked === "number" || asked.from === asked.to
          ? String(typeof asked === "number" ? asked : asked.from)
          : `${asked.from}-${asked.to}`;
    return from.map((source) => `${protocol} ${ports} ${source}`);
  });
  return [...new Set(lines)].toSorted();
}
