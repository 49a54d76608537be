import { absent, type Absent } from "../../../core/facts/symbols.ts";
import { pause, waitUntil } from "../../wait.ts";
import { type Ec2, told } from "../client.ts";

/** The number of searches for a resource before furrow creates one, and the pause after each, in ms. */
const looks = 3;
const pauseMs = 400;

/**
 * Creates a resource with a call that accepts no client token. EC2 may be slow to show a resource that a killed run has
 * just created, so this function first looks for the resource several times. Returns once EC2 shows the resource.
 */
export async function createOnce(
  ec2: Ec2,
  what: string,
  look: () => Promise<object | Absent>,
  create: () => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < looks; at += 1) {
    if ((await look()) !== absent) return;
    if (ec2.dry === true) break;
    await pause(pauseMs, ec2.signal);
  }
  await told(ec2, `create ${what}`, create());
  await untilShown(ec2, `${what} to appear`, async () => (await look()) !== absent);
}

/**
 * Removes a resource. `remove` returns false while something else still uses the resource, e.g. an interface of a
 * machine that was just terminated. Returns once EC2 no longer shows the resource.
 */
export async function removeWhenFree(
  ec2: Ec2,
  what: string,
  remove: () => Promise<boolean>,
  look: () => Promise<object | Absent>,
): Promise<void> {
  await waitUntil(async () => ((await remove()) ? { done: true } : { meanwhile: "still in use" }), {
    waitsFor: `${what} to be free`,
    deadlineSeconds: 90,
    signal: ec2.signal,
    say: ec2.say,
    hint: `Remove what still uses ${what}`,
  });
  await untilShown(ec2, `${what} to disappear`, async () => (await look()) === absent);
}

/** Waits until EC2 shows a change. */
export async function untilShown(ec2: Ec2, waitsFor: string, isRight: () => Promise<boolean>): Promise<void> {
  await waitUntil(async () => ((await isRight()) ? { done: true } : { meanwhile: "not yet" }), {
    waitsFor,
    deadlineSeconds: 60,
    signal: ec2.signal,
    say: ec2.say,
    hint: "Rerun: EC2 may take a while to show changes",
  });
}
