import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chrootFleet, type ChrootFleet } from "../../bench/hosts/chroot-fleet.ts";
import { ensureImage } from "../../src/lab/image/image.ts";
import { labStateDir } from "../../src/lab/places.ts";
import { fleetNames } from "../report/fleet.ts";

/** 120 hosts that are identical unless a test makes one odd, and the files that furrow needs to reach them. */
export interface RealFleet {
  readonly names: readonly string[];
  /** Resets all hosts to their state before a run, but keeps what makes a host odd. */
  reset(): void;
  /** Makes a host odd: before each run, its file gets this text instead of the text on the other hosts. */
  edit(name: string, path: string, text: string): void;
  /** Runs a sh script as root inside a host; `reset` does not undo it. */
  makeOdd(name: string, script: string): Promise<unknown>;
  /** Makes a host refuse all connections from now on; the inventory gives up on this host after five seconds. */
  takeDown(name: string): Promise<void>;
  end(): Promise<void>;
}

const old: Readonly<Record<string, string>> = { "etc/motd": "welcome\n", "etc/environment": "LANG=C.UTF-8\n" };
const made = ["srv/app.conf", "etc/cron.d/app"];

const playbook = `import { playbook } from "furrow";
import { cron, file, fileLine } from "furrow/tasks";

export default playbook({
  name: "The fleet",
  plays: [
    {
      name: "web",
      hosts: "all",
      tasks: () => [
        file({ path: "/etc/motd", content: "welcome\\nto the fleet\\n" }),
        fileLine({ path: "/etc/environment", line: "APP=1" }),
        file({ path: "/srv/app.conf", content: "listen 8080\\n", mode: "0640" }),
        cron({ name: "report", file: "app", command: "/srv/report", schedule: "@daily" }),
      ],
    },
  ],
});
`;

/** Starts the fleet and writes `site.ts`, `inventory.ts` and what they need into the folder. */
export async function realFleet(folder: string): Promise<RealFleet> {
  const image = await ensureImage("plain", labStateDir(), (text) => process.stderr.write(`${text}\n`));
  const names = fleetNames(120);
  const fleet = await chrootFleet([image], names);
  writeFiles(fleet, folder, "");
  const down = new Set<string>();
  const edits = new Map<string, Readonly<Record<string, string>>>();
  const reset = (): void => {
    for (const name of names.filter((one) => !down.has(one))) {
      const texts = { ...old, ...edits.get(name) };
      for (const [path, text] of Object.entries(texts)) writeFileSync(join(fleet.rootOf(name), path), text);
      for (const path of made) rmSync(join(fleet.rootOf(name), path), { force: true });
    }
  };
  reset();
  return {
    names,
    reset,
    edit: (name, path, text) => void edits.set(name, { [path]: text }),
    async makeOdd(name, script) {
      await fleet.inside(name, script);
    },
    takeDown(name) {
      down.add(name);
      writeFiles(fleet, folder, name);
      return fleet.stop(name);
    },
    end: () => fleet.end(),
  };
}

function writeFiles(fleet: ChrootFleet, folder: string, down: string): void {
  const { identityFile, hosts } = fleet.hosts;
  copyFileSync(identityFile, join(folder, "id"));
  const keys = hosts.flatMap(({ name, address, port }) =>
    fleet.hosts.keysOf(name).map((key) => `[${address}]:${port} ${key}\n`),
  );
  writeFileSync(join(folder, "known_hosts"), keys.join(""));
  const entries = hosts.map(({ name, address, port }) => {
    const limit = name === down ? ", connectTimeoutSeconds: 5" : "";
    return `    ${name}: { address: "${address}", port: ${port}${limit} },\n`;
  });
  const inventory = `import { inventory } from "furrow";

export default inventory({
  user: "root",
  identityFile: "id",
  knownHostsFile: "known_hosts",
  hosts: {
${entries.join("")}  },
});
`;
  writeFileSync(join(folder, "inventory.ts"), inventory);
  writeFileSync(join(folder, "site.ts"), playbook);
}
