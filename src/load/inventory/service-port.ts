import { readFileSync } from "node:fs";

let known: ReadonlyMap<string, number> | undefined;

/** The TCP port of a service in /etc/services (services(5)), which ssh also reads; undefined if the name is unknown. */
export function servicePort(name: string): number | undefined {
  known ??= readServices();
  return known.get(name);
}

function readServices(): ReadonlyMap<string, number> {
  const ports = new Map<string, number>();
  for (const line of services().split("\n")) {
    const [name, place, ...aliases] = line.replace(/#.*/, "").trim().split(/\s+/);
    const [, port] = /^(\d+)\/tcp$/.exec(place ?? "") ?? [];
    if (name === undefined || port === undefined) continue;
    for (const each of [name, ...aliases]) if (!ports.has(each)) ports.set(each, Number(port));
  }
  return ports;
}

/** A minimal system may lack /etc/services. */
function services(): string {
  try {
    return readFileSync("/etc/services", "utf8");
  } catch {
    return "ssh 22/tcp\n";
  }
}
