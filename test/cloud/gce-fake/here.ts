import { afterEach, beforeEach, vi } from "vitest";
import { GceFake } from "./fake.ts";

/** Hands each test of a file a fake of Compute Engine of its own, in whose environment it then is. */
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
