import { type Refusal, refuse } from "../../src/authoring.ts";

/** Refuses a number that another account has. Does not refuse if an earlier task may free the number. */
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
    expected: "a free number",
    hint: `Choose another number, or give the ${kind} ${other} another number first`,
  });
}
