import { nearestPosition } from "../authoring/position.ts";
import { FurrowError } from "../errors.ts";

type ToText = (this: object, hint: string) => unknown;

/**
 * A function for `Symbol.toPrimitive`. It throws FurrowError E_PLAYBOOK if user code converts the object to a string,
 * for which JavaScript would return `[object Object]`. `what` names the object in the message. `hintFor`: the hint,
 * which begins with a verb; by default, it suggests a property of the object.
 */
export function refuseAsText(what: string, hintFor?: string): ToText {
  return function toText(this: object, hint: string): unknown {
    const source = nearestPosition(toText);
    if (source !== undefined) {
      throw new FurrowError("E_PLAYBOOK", {
        what: `${what} is ${typeof this === "function" ? "a function" : "an object"}, but is used as a string`,
        where: { source },
        expected: "a text or a number",
        hint: hintFor ?? hintOf(what, this),
      });
    }
    if (hint === "number") return Number.NaN;
    return typeof this === "function" ? Function.prototype.toString.call(this) : Object.prototype.toString.call(this);
  };
}

function hintOf(what: string, object: object): string {
  const [name = "NAME"] = Object.keys(object).filter((key) => /^[\p{L}_$][\p{L}\d_$]*$/u.test(key));
  return /[\s[]/.test(what)
    ? `Use one of its properties, such as \`${name}\`, or JSON.stringify(…)`
    : `Write ${what}.${name}, or JSON.stringify(${what})`;
}

/** Makes the object throw an error if it is used as a string ({@link refuseAsText}), and returns the object. */
export function neverText<T extends object>(object: T, what: string, hint: string): T {
  return Object.defineProperty(object, Symbol.toPrimitive, { value: refuseAsText(what, hint) });
}
