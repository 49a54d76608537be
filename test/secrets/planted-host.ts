import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ArtifactServer,
  type Lab,
  type LabHost,
  labDown,
  labUp,
  runInHost,
  serveArtifacts,
} from "../../src/lab/index.ts";
import { Screens, type Seen } from "../screens/screens.ts";
import { labEnv, settled } from "../truth/scene.ts";
import { planted, plantedEnv } from "./planted.ts";

/** A lab host that requires the planted secrets for login, and the command that runs against it. */
export interface PlantedHost {
  readonly screens: Screens;
  readonly lab: Lab;
  readonly host: LabHost;
  readonly key: string;
  /** Runs `furrow COMMAND PLAYBOOK -i …` with a playbook in this folder. */
  readonly furrow: (command: string, playbook: string, ...flags: readonly string[]) => Promise<Seen>;
  /** Arguments and environment of the same command, for running it in another way. */
  readonly command: (command: string, playbook: string, ...flags: readonly string[]) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly down: () => Promise<void>;
}

/** Starts the host. */
export async function plantedHost(name: string): Promise<PlantedHost> {
  const lab = await labUp({ hosts: 1, name, replace: true });
  const [host] = lab.hosts;
  if (host === undefined) throw new Error("the lab has no host");
  await settled(host);
  const screens = new Screens("", "");
  screens.put("motd", "a message\n");
  const server: ArtifactServer = await serveArtifacts(screens.folder, lab.gateway);
  const key = join(screens.folder, "login_key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", planted.passphrase, "-f", key]);
  await runInHost(host, ["sh", "-c", "cat >>/home/furrow/.ssh/authorized_keys"], {
    input: readFileSync(`${key}.pub`, "utf8"),
  });
  await runInHost(host, ["chpasswd"], { input: `furrow:${planted.become}\n` });
  const env = {
    ...labEnv(lab),
    ...plantedEnv(),
    PLANTED_KEY: key,
    PLANTED_WEB: server.url,
    PLANTED_COPY: join(screens.folder, "copy"),
  };
  const command = (word: string, playbook: string, ...flags: readonly string[]): readonly string[] => [
    word,
    join(import.meta.dirname, playbook),
    "-i",
    join(import.meta.dirname, "inventory.ts"),
    ...flags,
  ];
  return {
    screens,
    lab,
    host,
    key,
    command,
    env,
    furrow: (...words) => screens.run(command(...words), env),
    down: async () => {
      await server.close();
      await labDown({ name });
      screens.remove();
    },
  };
}
