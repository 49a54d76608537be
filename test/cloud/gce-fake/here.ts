import { afterEach, beforeEach, vi } from "vitest";
import { GceFake } from "./fake.ts";

/** Gives each test of a file its own fake of Compute Engine, set up in the environment. */
export function eachWithGceFake(take: (fake: GceFake) => void): void {
  let fake: GceFake;
  beforeEach(async () => {
    fake = new GceFake();
    take(fake);
    for (const [name, value] of Object.entries(await fake.start())) vi.stubEnv(name, value);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await fake.stop();
  });
}
