import { expect, it } from "vitest";
import { FurrowError } from "./errors.ts";
import { reportLater, together, withWrongCalls, type WrongCalls } from "./wrong-calls.ts";

const wrong = (what: string, at: string): FurrowError =>
  new FurrowError("E_PARAMS", { what, where: { source: at, task: "file" }, hint: "Correct it" });

function thrownBy(act: () => unknown): FurrowError {
  try {
    act();
  } catch (error) {
    return error as FurrowError;
  }
  throw new Error("nothing was thrown");
}

const refuse = (what: string, at: string): undefined =>
  reportLater(() => {
    throw wrong(what, at);
  });

it("reports all wrong tasks in one run, in the order the file lists them", () => {
  const error = thrownBy(() => withWrongCalls(() => [refuse("b", "/a/site.ts:10:2"), refuse("a", "/a/site.ts:9:1")]));
  expect(error.failure).toMatchObject({ what: "a", details: ["/a/site.ts:10:2  file: b. Correct it"] });
});

it("reports the error that ends the body, together with the earlier errors", () => {
  const body = (): never => {
    refuse("a", "/a/site.ts:1:1");
    throw wrong("b", "/a/site.ts:2:1");
  };
  expect((thrownBy(() => withWrongCalls(body)) as WrongCalls).errors.map(({ message }) => message)).toEqual(["a", "b"]);
});

it("outside a body, throws each error immediately", () => {
  expect(thrownBy(() => refuse("a", "/a/site.ts:1:1")).message).toBe("a");
});

it("immediately throws an error that is a bug in furrow, and does not wrap a single error", () => {
  const bug = new FurrowError("E_BUG", { what: "broken" });
  const throwsBug = (): never => {
    throw bug;
  };
  expect(thrownBy(() => withWrongCalls(() => reportLater(throwsBug)))).toBe(bug);
  const one = wrong("a", "/a/site.ts:1:1");
  expect(together([one])).toBe(one);
});

it("reports an error only once if all hosts share it, with its position relative to the folder", () => {
  const errors = ["web1", "web2"].flatMap((host) => [
    wrong("a", "/a/site.ts:1:1").at({ host }),
    wrong("b", "/a/site.ts:2:1").at({ host }),
  ]);
  const error = together(errors, "/a").at({ playbook: "site.ts" });
  expect(error.failure.details).toEqual(["site.ts:2:1  file: b. Correct it"]);
  expect(error.failure.where).toMatchObject({ host: "web1", playbook: "site.ts" });
  const many = Array.from({ length: 30 }, (_, at) => wrong(`x${at}`, `/a/site.ts:${at}:1`));
  expect(together(many).failure.details?.at(-1)).toBe("and 10 more");
});
