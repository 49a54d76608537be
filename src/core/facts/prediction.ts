import { merge } from "./compare.ts";
import { type Fact, isControllerFact } from "./fact.ts";
import { kindOf, type PredictionContext } from "./kind.ts";
import { ranKind } from "./ran.ts";
import { isRecord, knownAfterApply } from "./symbols.ts";

/** The predicted value of a fact after `wanted` is applied, as far as it can be known; `now` if nothing is wanted. */
export function predictionOf(fact: Fact, now: unknown, wanted: unknown, context: PredictionContext): unknown {
  if (wanted === undefined) return now;
  if (isControllerFact(fact) || fact.kind === ranKind) return merge(now, wanted);
  const { predict } = kindOf(fact.kind);
  if (predict) return predict(now, wanted, context);
  return now === knownAfterApply && isRecord(wanted) ? knownAfterApply : merge(now, wanted);
}
