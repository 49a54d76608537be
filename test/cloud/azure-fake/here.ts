import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { AzureFake } from "./fake.ts";

/**
 * Gives the tests in a file a fake of Azure that is empty at the start of each test, and sets the environment variables
 * that point to it.
 */
export function eachWithAzureFake(take: (fake: AzureFake) => void): void {
  const fake = new AzureFake();
  const trusted = getCACertificates();
  let env: Record<string, string>;
  beforeAll(async () => {
    env = await fake.start();
    setDefaultCACertificates([...trusted, fake.authority]);
  });
  beforeEach(() => {
    fake.wipe();
    Object.assign(fake.settings, { console: () => consoleText, steps: 1 });
    take(fake);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  });
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await fake.stop();
  });
}

/** The host key of the fake's machines. */
export const hostKey = `ssh-ed25519 ${"AAAAC3NzaC1lZDI1NTE5AAAAI".padEnd(68, "a")}`;

/** What a machine with cloud-init prints at its first boot. */
export const consoleText = `boot\r\n-----BEGIN SSH HOST KEY KEYS-----\r\n${hostKey} root@lab\r\n-----END SSH HOST KEY KEYS-----\r\n`;
