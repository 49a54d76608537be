import { match, refuse, task, text, z } from "../../src/authoring.ts";

/** Goes on only where a name was typed back as it is: what comes next cannot be undone. */
export const typedBack = task({
  name: "typedBack",
  summary: "Go on only where a name was typed back",
  params: z.strictObject({
    expected: z.string().describe("The name"),
    typed: text().describe("What was typed"),
  }),
  examples: [],
  title: ({ expected }) => `typed back: ${expected}`,
})
  .facts(() => ({}))
  .want(({ expected, typed }) =>
    match(typed, expected) === "same"
      ? {}
      : refuse({
          code: "not-typed-back",
          message: `"${expected}" was not typed back, so nothing is removed`,
          hint: `Type ${expected}, or give --var yes=true`,
        }),
  )
  .steps(() => []);
