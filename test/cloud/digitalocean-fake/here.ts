import { afterEach, beforeEach, vi } from "vitest";
import { DigitalOceanFake } from "./fake.ts";

/** Gives each test in a file its own fake of DigitalOcean, and sets the environment variables that point to it. */
export function eachWithDigitalOceanFake(take: (fake: DigitalOceanFake) => void): void {
  let fake: DigitalOceanFake;
  beforeEach(async () => {
    fake = new DigitalOceanFake();
    take(fake);
    for (const [name, value] of Object.entries(await fake.start())) vi.stubEnv(name, value);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await fake.stop();
  });
}
