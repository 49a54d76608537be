import { describe, expect, test } from "vitest";
import { file } from "../../../tasks/file/file.ts";
import { absolutePath } from "../params/schema.ts";

const withOptions = (options: object) => () => file({ path: "/srv/x", content: "" }, options);

describe("task options", () => {
  test.each([
    { option: "retries", options: { retries: -1 } },
    { option: "retries", options: { retries: Number.POSITIVE_INFINITY } },
    { option: "retries", options: { retries: 1.5 } },
    { option: "retries.times", options: { retries: { times: Number.NaN } } },
    { option: "retries.delaySeconds", options: { retries: { times: 1, delaySeconds: -1 } } },
    { option: "retries.factor", options: { retries: { times: 1, factor: Number.POSITIVE_INFINITY } } },
    { option: "retries.maxDelaySeconds", options: { retries: { times: 1, maxDelaySeconds: -1 } } },
    { option: "timeoutSeconds", options: { timeoutSeconds: 0 } },
    { option: "timeoutSeconds", options: { timeoutSeconds: -5 } },
    { option: "timeoutSeconds", options: { timeoutSeconds: Number.POSITIVE_INFINITY } },
    { option: "timeoutSeconds", options: { timeoutSeconds: "5" } },
  ])("are refused when the playbook is loaded: $options", ({ option, options }) => {
    expect(withOptions(options)).toThrow(
      expect.objectContaining({
        code: "E_PARAMS",
        failure: expect.objectContaining({ what: expect.stringContaining(`\`${option}\``) }),
      }),
    );
  });

  test("are accepted if they are valid", () => {
    expect(withOptions({ retries: 0, timeoutSeconds: 0.5 })).not.toThrow();
    expect(withOptions({ retries: { times: 3, delaySeconds: 0, factor: 1.5, maxDelaySeconds: 0 } })).not.toThrow();
  });
});

test("refuses a path with a carriage return or a newline, because no fact about it could be read", () => {
  expect(absolutePath().safeParse("/srv/p\rq").success).toBe(false);
});
