import { z } from "../../src/authoring.ts";
import { canonicalNetwork } from "./network.ts";

const port = z.int().min(0).max(65_535);

/** An inbound rule in a security group. */
export const ruleSchema = z
  .strictObject({
    protocol: z.enum(["tcp", "udp", "icmp", "icmpv6", "all"]).default("tcp").describe("Protocol"),
    port: z
      .union([port, z.strictObject({ from: port.describe("First port"), to: port.describe("Last port") })], {
        error: "a port, like 443, or { from: 8000, to: 8100 }",
      })
      .optional()
      .describe("Port, or first and last port; default: all"),
    from: z
      .array(
        z
          .string()
          .refine(
            (source) => /^(sg|pl)-\w+$/.test(source) || canonicalNetwork(source) !== undefined,
            'a network, like "192.0.2.0/24", or the id of a security group or prefix list',
          ),
      )
      .min(1, "at least one source")
      .describe("Networks, or ids of security groups or prefix lists; 10.0.0.1/8 becomes 10.0.0.0/8, as in EC2"),
  })
  .refine(({ protocol, port: asked }) => asked === undefined || protocol === "tcp" || protocol === "udp", {
    message: "a port only with tcp or udp",
    path: ["port"],
  });

/** Returns rules in the form that the fact uses: each with one source, sorted, without duplicates. */
export function rulesOf(rules: readonly z.output<typeof ruleSchema>[]): string[] {
  const lines = rules.flatMap(({ protocol, port: asked, from }) => {
    const isWhole = typeof asked === "object" && asked.from === 0 && asked.to === 65_535;
    const ports =
      asked === undefined || isWhole
        ? "all"
        : typeof asked === "number" || asked.from === asked.to
          ? String(typeof asked === "number" ? asked : asked.from)
          : `${asked.from}-${asked.to}`;
    return from.map((source) => `${protocol} ${ports} ${canonicalNetwork(source) ?? source}`);
  });
  return [...new Set(lines)].toSorted();
}
