import { expect, test } from "vitest";
import { playbook } from "./playbook.ts";

test.each([
  [{ plays: [] }, "a playbook has no name"],
  [{ name: " ", plays: [] }, "a playbook has no name"],
  [{ name: "site" }, "a playbook has no plays"],
  [{}, "a playbook has no name and no plays"],
])("refuses a playbook made of %j and names its position, even without type checks", (definition, what) => {
  expect(() => playbook(definition as never)).toThrow(
    expect.objectContaining({ code: "E_PLAYBOOK", failure: expect.objectContaining({ what }) }),
  );
});
