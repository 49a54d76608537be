/**
 * The entry point for people who write their own kind of fact: `import { ask, defineKind } from "furrow/facts"`. A kind
 * is one read-only shell script and a pure parser. Tasks import the facts they need from "furrow".
 */
// Kinds: script, parser and predictions.
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
} from "../core/facts/kind.ts";
export type { Implied } from "../core/facts/implied.ts";
export type { Fact, FactPattern, HostFact, Json, Question } from "../core/facts/fact.ts";
export type { RealName, Target } from "../core/facts/path-resolution.ts";

// The values for something absent and for something that a prediction cannot know, and the error for unknown lines.
export { absent, type Absent, knownAfterApply, type KnownAfterApply } from "../core/facts/symbols.ts";
export { FurrowError } from "../core/errors.ts";

// Shell text: the numbered questions for a loop, and quoting.
export { numbered } from "./system/quote.ts";
export { shellQuote } from "../core/host/step.ts";

// For kinds whose facts a service may watch with `restartOn`.
export { changedFacet } from "../core/facts/watched.ts";
