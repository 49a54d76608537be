import { z } from "../../src/authoring.ts";

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * The value of a Kubernetes quantity: 0.25 for `250m`, 1024 for `1Ki`; undefined for any other form
 * (pkg/api/resource/quantity.go in kubernetes/apimachinery).
 */
export function quantityOf(text: string): number | undefined {
  const [, number, exponent, unit = ""] =
    /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text) ?? [];
  const factor = exponent === undefined ? factors[unit] : 10 ** Number(exponent);
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

/** A quantity as a number; the API also accepts numbers. */
export const quantity = z.union([z.string(), z.number()]).transform((value, context) => {
  const number = typeof value === "number" ? value : quantityOf(value);
  if (number !== undefined) return number;
  context.addIssue({ code: "custom", message: `not a quantity: ${value}` });
  return z.NEVER;
});
