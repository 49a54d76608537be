import { type Refusal, refuse } from "../../src/authoring.ts";

/** The refusal where somebody else has the number that an account is to get; what an earlier task may free is not known. */
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
    message: `the ${kind} ${name} cannot have the number ${number}, because ${other} has it`,
    current: `${number}: ${other}`,
    expected: "a number that is free",
    hint: `Choose another number, or give the ${kind} ${other} another one first`,
  });
}
