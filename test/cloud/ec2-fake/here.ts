import { afterAll, beforeEach } from "vitest";
import { timeFlies } from "../flying-time.ts";
import { type Ec2Fake, startEc2Fake } from "./fake.ts";

/**
 * A fake of EC2 for the tests in a file, set up in their environment. It is empty before each test, and timers are
 * accelerated.
 */
export async function ec2FakeHere(): Promise<Ec2Fake> {
  const fake = await startEc2Fake();
  const stopTime = timeFlies();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: fake.url,
    AWS_ACCESS_KEY_ID: "TEST",
    AWS_SECRET_ACCESS_KEY: "test",
  });
  beforeEach(() => fake.reset());
  afterAll(() => {
    stopTime();
    return fake.close();
  });
  return fake;
}
