import { seeded, torturePoints, tortureSeed } from "../../seeded.ts";

/** POST requests that only query something. */
const questions = /reviews(\?|$)/;

/** Whether a request, given as `PATCH /api/v1/…`, changes something. */
export function isWrite(call: string): boolean {
  return !/^(GET|HEAD) /.test(call) && !call.includes("dryRun=All") && !questions.test(call);
}

/**
 * The numbers of the calls after which a run is killed, counted from 1 and in order: all calls in a full test,
 * otherwise as many as time allows. The seed chooses the calls, half of them among those that change something.
 */
export function killPoints(calls: readonly string[], usual: number, seed = tortureSeed): number[] {
  const random = seeded(seed);
  const shuffled = calls
    .map((call, index) => ({ call, at: index + 1, order: random(1e9) }))
    .toSorted((a, b) => a.order - b.order);
  const wanted = torturePoints(usual, calls.length);
  const writes = shuffled.filter(({ call }) => isWrite(call)).slice(0, Math.ceil(wanted / 2));
  const others = shuffled.filter((one) => !writes.includes(one)).slice(0, Math.max(0, wanted - writes.length));
  return [...writes, ...others].map(({ at }) => at).toSorted((a, b) => a - b);
}
