import { type Refusal, refuse } from "../../src/authoring.ts";

/** Refuses a UID or GID that another account has. Does not refuse if an earlier task may free it. */
export function numberTaken(
  kind: "group" | "user",
  name: string,
  number: number | undefined,
  holder: unknown,
): Refusal | undefined {
  const [other] =
    typeof holder === "object" && holder !== null && "name" in holder && typeof holder.name === "string"
      ? [holder.name]
      : [];
  if (number === undefined || other === undefined || other === name) return undefined;
  return refuse({
    code: "number-taken",
    message: `the ${kind} ${name} cannot have the numeric id ${number}, because ${other} already has it`,
    current: `${number}: ${other}`,
    expected: "a free id",
    hint: `Choose another id, or give the ${kind} ${other} another id first`,
  });
}
