import { type GceFake, project, zone } from "./fake.ts";

/**
 * Adds machines to the fake's zones in turn: every 50th machine is stopped, and every second one has the label
 * role=web.
 */
export function fill(fake: GceFake, count: number): void {
  const { zones } = fake.settings;
  for (let at = 0; at < count; at += 1) {
    const name = `m-${String(at).padStart(4, "0")}`;
    const place = `projects/${project}/zones/${zones[at % zones.length] ?? zone}`;
    fake.state.put(`${place}/instances/${name}`, {
      name,
      zone: `https://www.googleapis.com/compute/v1/${place}`,
      status: at % 50 === 0 ? "TERMINATED" : "RUNNING",
      machineType: `${place}/machineTypes/n2-standard-16`,
      labels: { role: at % 2 === 0 ? "web" : "db" },
      networkInterfaces: [{ networkIP: `127.30.${at >> 8}.${at & 255}`, accessConfigs: [] }],
    });
  }
}
