import type { RuleTester } from "oxlint/plugins-dev";

/** A rule as oxlint loads it; the type is available only through oxlint's rule tester. */
export type Rule = Extract<
  Parameters<RuleTester["run"]>[1],
  { create: (context: never) => unknown; createOnce?: never }
>;
