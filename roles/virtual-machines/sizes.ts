const units: Readonly<Record<string, number>> = {
  "": 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
};

/** The bytes of a Kubernetes quantity such as `50Gi`; undefined for any other form. */
export function bytesOf(size: string): number | undefined {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([KMGT]i?|)$/.exec(size) ?? [];
  const factor = units[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}
