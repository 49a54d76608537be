import { afterEach, beforeEach, vi } from "vitest";
import { GceFake } from "./fake.ts";

/** Gives each test in a file its own fake of Compute Engine, and sets the environment variables that point to it. */
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
