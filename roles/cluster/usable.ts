import { ipv4Number, subnetOf } from "../../src/facts/catalogue.ts";
import { toAddress } from "./ipv4.ts";

/** The addresses of a subnet that a machine can have; undefined if it is not a subnet. */
export function usableIn(
  address: string,
  prefix: number,
):
  | { readonly cidr: string; readonly first: string; readonly last: string; has(this: void, one: string): boolean }
  | undefined {
  const subnet = subnetOf(`${address}/${prefix}`);
  if (subnet === undefined) return undefined;
  const { first, last } = subnet;
  return {
    cidr: `${toAddress(first)}/${prefix}`,
    first: toAddress(first + 1),
    last: toAddress(last - 1),
    has: (one) => {
      const number = ipv4Number(one);
      return number !== undefined && number > first && number < last;
    },
  };
}
