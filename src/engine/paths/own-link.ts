import type { Bound } from "../../core/authoring/evaluate.ts";
import { FurrowError } from "../../core/errors.ts";
import { isControllerFact } from "../../core/facts/fact.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { isRan } from "../../core/facts/ran.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { PathNames } from "./path-names.ts";

/**
 * Throws E_REFUSED if a task would replace a link that is a part of the task's own path, like `a` in `/srv/a/a` if `a`
 * leads to `/srv`. Without that link, the path would lead nowhere.
 */
export function refuseOwnLink(facts: readonly Bound[], names: PathNames): void {
  for (const { fact, match, wanted } of facts) {
    if (match !== "differs" || wanted === absent || isControllerFact(fact) || isRan(fact)) continue;
    if (kindOf(fact.kind).linkTarget === undefined || !names.goesThroughItself(fact)) continue;
    const real = names.real(fact.key);
    throw new FurrowError("E_REFUSED", {
      what: `${fact.key} resolves to the link ${real}, which the path itself goes through: if that link were replaced, the path would lead nowhere`,
      details: ["refused: own-link"],
      hint: `Correct the path, or use the path of the link itself: ${real}`,
    });
  }
}
