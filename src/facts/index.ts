/**
 * The door for people who write a kind of fact of their own: `import { ask, defineKind } from "furrow/facts"`. A kind is
 * one read-only shell script and a pure parser. Tasks take the facts they ask for from "furrow".
 */
// A kind: its script, its parser, its predictions.
export {
  ask,
  type BeforeBoot,
  defineKind,
  type Kind,
  type Lines,
  type NumberedQuestion,
  type PredictionContext,
  type PrintedLines,
  printPart,
} from "../core/kind.ts";
export type { Implied } from "../core/implied.ts";
export type { Fact, FactPattern, HostFact, Json, Question } from "../core/fact.ts";
export type { RealName, Target } from "../core/way.ts";

// Values that a parser gives and a prediction leaves open, and errors about lines it does not know.
export { absent, type Absent, knownAfterApply, type KnownAfterApply } from "../core/symbols.ts";
export { FurrowError } from "../core/errors.ts";

// Shell text: the numbered questions of a loop, and quoting.
export { numbered } from "./system/quote.ts";
export { shellQuote } from "../core/step.ts";

// What to add to a kind of things that a service may watch with `restartOn`.
export { changedFacet } from "../core/watched.ts";
