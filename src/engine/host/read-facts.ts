import type { DriverLookup } from "../../core/host/driver.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { wrongParts } from "../../core/wrong-parts.ts";
import { type Fact, factId, isControllerFact, type Question } from "../../core/facts/fact.ts";
import type { Answer, ItemResult, ReadItem } from "../../core/host/frame.ts";
import { addQuestion, type ReadContext, type Reading } from "./questions.ts";
import type { Host } from "./host.ts";

/** The errors for facts that could not be read, by fact id. */
export type ReadErrors = ReadonlyMap<string, FurrowError>;

/**
 * The questions to ask about host facts. Questions about the same thing are merged; the result is sorted by kind.
 * Includes questions about links and mounts on the paths to these things, if they are unknown.
 */
export function questionsOf(
  facts: readonly Fact[],
  picture: Pick<ReadContext, "facetsOf" | "resolutionQuestions" | "asked">,
): Question[] {
  const questions = new Map<string, Fact>();
  for (const fact of facts) {
    if (isControllerFact(fact)) continue;
    for (const resolution of picture.resolutionQuestions(fact)) questions.set(factId(resolution), resolution);
    addQuestion(questions, picture.asked(fact), picture);
  }
  const list = [...questions.values()] as Question[];
  return list.toSorted((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0));
}

/** The questions about these facts as one frame item; undefined if there are no questions. */
export function readItem(
  facts: readonly Fact[],
  picture: Pick<ReadContext, "facetsOf" | "resolutionQuestions" | "asked">,
): ReadItem | undefined {
  const questions = questionsOf(facts, picture);
  return questions.length === 0 ? undefined : { item: "read", questions };
}

/** Records the answers to a read item in the host's knowledge. Returns the errors. */
export function learnAnswers(item: ReadItem, result: ItemResult | undefined, host: Host): Map<string, FurrowError> {
  return learn({ questions: item.questions, answers: result?.item === "read" ? result.answers : [] }, host);
}

/** Records answers in the host's knowledge. Returns the errors. */
export function learn({ questions, answers }: Reading, host: Host): Map<string, FurrowError> {
  const errors = new Map<string, FurrowError>();
  const values: { fact: Question; value: unknown }[] = [];
  questions.forEach((question, index) => {
    const answer: Answer | undefined = answers[index];
    if (answer === undefined) return;
    if ("error" in answer) errors.set(factId(question), answer.error);
    else values.push({ fact: question, value: answer.value });
  });
  host.knowledge.learnAll(values);
  return errors;
}

/** Reads host facts in one frame, and controller facts through their drivers. */
export async function readFacts(
  facts: readonly Fact[],
  host: Host,
  drivers: DriverLookup,
  signal: AbortSignal,
): Promise<ReadErrors> {
  const item = readItem(facts, host.knowledge);
  const errors = new Map<string, FurrowError>();
  await Promise.all([
    ...facts.filter(isControllerFact).map(async (fact) => {
      try {
        const driver = await drivers(fact.driver);
        host.knowledge.learn(fact, await driver.read(fact.request, signal));
      } catch (error) {
        errors.set(factId(fact), isFurrowError(error) ? error : driverFailure(fact.driver, error));
      }
    }),
    item &&
      host.frame({ items: [item] }, signal).then(([result]) => {
        for (const [id, error] of learnAnswers(item, result, host)) errors.set(id, error);
      }),
  ]);
  return errors;
}

/** The failure of a driver that threw something other than a FurrowError. */
export function driverFailure(driver: string, error: unknown): FurrowError {
  const wrong = wrongParts(error);
  if (wrong !== undefined) {
    return new FurrowError("E_DRIVER", {
      what: `the ${driver} driver received data of the wrong shape`,
      current: wrong,
      hint: "Rerun; if it happens again, check the server's response, and any proxy between this machine and the server",
      cause: error,
    });
  }
  return new FurrowError("E_DRIVER", {
    what: `the ${driver} driver failed: ${error instanceof Error ? error.message : String(error)}`,
    cause: error,
  });
}
