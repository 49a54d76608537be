import { expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { secret } from "../../src/core/secrets/secret-source.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { checkConflicts } from "../../src/engine/plan/conflicts/conflicts.ts";
import { planNodes } from "../../src/engine/plan/plan.ts";
import { file, fileLine } from "../../tasks/index.ts";

const plan = (...nodes: Node[]) =>
  planNodes(nodes, { target: "web1", path: [], tags: [], when: [], become: undefined }, "");

test("two lines in one file may contain a secret that has not been read yet", () => {
  const token = secret.env("FURROW_TEST_NOT_READ_YET");
  const nodes = [
    fileLine({ path: "/etc/app.conf", line: `token=${token}`, match: "^token=", create: true }),
    fileLine({ path: "/etc/app.conf", line: `again=${token}`, match: "^again=", create: true }),
  ];
  expect(() => checkConflicts(plan(...nodes))).not.toThrow();
});

test("two different contents for one file conflict as soon as their secrets are known", () => {
  const nodes = ["one", "another"].map((value) =>
    file({ path: "/etc/app.conf", content: `token=${secretOf(value, "token")}\n` }),
  );
  expect(() => checkConflicts(plan(...nodes))).toThrow("two tasks want different values");
});
