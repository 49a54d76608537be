/**
 * The entry point for people who write their own kind of fact: `import { ask, defineKind } from "furrow/facts"`. A kind
 * is one read-only shell script and a pure parser. Tasks import the facts that they ask for from "furrow".
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

// Values that a parser returns or a prediction leaves unknown, and errors about unknown lines.
export { absent, type Absent, knownAfterApply, type KnownAfterApply } from "../core/symbols.ts";
export { FurrowError } from "../core/errors.ts";

// Shell text: the numbered questions of a loop, and quoting.
export { numbered } from "./system/quote.ts";
export { shellQuote } from "../core/step.ts";

// Additions to a kind whose facts a service may watch with `restartOn`.
export { changedFacet } from "../core/watched.ts";
