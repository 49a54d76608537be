import { expect, test } from "vitest";
import { command } from "../../../tasks/index.ts";
import { factId, namesFact } from "../../core/facts/fact.ts";
import { digest, mountAt, tree } from "../../facts/catalogue.ts";
import { effectsOf, toReadAgain } from "./effects.ts";
import { PathNames } from "../paths/path-names.ts";
import { planNodes, type PlannedTask } from "../plan/plan.ts";

const setting = { target: "a", path: [], tags: [], when: [], become: undefined };

test("names not only a declared file, but also the trees and facts that show it", () => {
  const call = command({ command: "make", creates: "/srv/app/a", disturbs: ["file:/srv/app/b"] });
  const [planned] = planNodes([call], setting, "") as PlannedTask[];
  const params = { disturbs: ["file:/srv/app/b"] };
  const named = toReadAgain(effectsOf(planned!, params, [{ step: "run", argv: ["make"] }], [], new PathNames()));
  const shows = [tree("/srv/app"), tree("/srv"), tree("/"), digest("/srv/app/b", "sha256"), mountAt("/srv/app")];
  expect(shows.filter((fact) => !namesFact(named, factId(fact)))).toEqual([]);
  expect([tree("/etc"), digest("/srv/app/c", "sha256")].filter((fact) => namesFact(named, factId(fact)))).toEqual([]);
});
