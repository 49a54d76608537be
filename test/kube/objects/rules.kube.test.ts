import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { definition } from "../harvester-kinds.ts";
import { differences, type ObjectData, refusal, Tasks } from "../on-server.ts";
import { ApiServer } from "../server/api-server.ts";
import { packageVersion } from "../server/binaries.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);

beforeAll(async () => {
  server = await ApiServer.up();
  const pole = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
  const poles = {
    type: "array",
    items: pole,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  };
  const properties = {
    size: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 10", message: "a tent has no such size" }] },
    color: {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "paint does not hold" }],
    },
    poles,
  };
  const schema = { type: "object", properties: { spec: { type: "object", properties } } };
  // kubectl would validate with the old server's schema, which has no rules.
  const kind = definition("camp.example.com", "v1", "Tent", "tents", "Namespaced", schema);
  server.kubectl(["apply", "--validate=false", "--filename=-"], JSON.stringify(kind));
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  server.kubectl(["create", "namespace", "shop"]);
});
afterAll(() => server?.down());

const tent = (spec: object): ObjectData => ({
  apiVersion: "camp.example.com/v1",
  kind: "Tent",
  metadata: { name: "one", namespace: "shop" },
  spec,
});

describe("the rules of a kind (CEL)", () => {
  // The old server ignores rules.
  beforeEach(({ skip }) => skip(server.customVersion === packageVersion, "the server for custom kinds is not built"));

  test("refuse an object both in check mode and in a run, with the rule's message", async () => {
    const wrong = tasks.object(tent({ size: 30, color: "green" }));
    for (const [end] of [await tasks.host.check(wrong), await tasks.host.apply(wrong)]) {
      expect(refusal(end)).toBe("refused: invalid-object");
      expect(end?.error?.message).toMatch(/spec\.size.*a tent has no such size/);
    }
    expect(server.kubectl(["get", "tents", "--namespace=shop", "--output=name"])).toBe("");
  });

  test("that compare an object with its current state refuse a change, but not a rerun", async () => {
    await tasks.converge(tasks.object(tent({ size: 3, color: "green" })));
    await tasks.converge(tasks.object(tent({ size: 4, color: "green" })));
    const painted = tasks.object(tent({ size: 4, color: "red" }));
    for (const [end] of [await tasks.host.check(painted), await tasks.host.apply(painted)]) {
      expect(end?.error?.message).toMatch(/spec\.color.*paint does not hold/);
    }
    expect(tasks.get("tents", "one", "{.spec.color}")).toBe("green");
  });

  test("a newer server applies another order of the items of a list, as check mode says", async () => {
    const ordered = (...names: string[]) =>
      tasks.object({
        ...tent({ poles: names.map((name) => ({ name })) }),
        metadata: { name: "ordered", namespace: "shop" },
      });
    await tasks.converge(ordered("a", "b"));
    const [end] = await tasks.converge(ordered("b", "a"));
    expect(differences(end)).toEqual(['order.spec.poles: "name=a; name=b" → "name=b; name=a"']);
    expect(tasks.get("tents", "ordered", "{.spec.poles[*].name}")).toBe("b a");
  });

  test("a misspelled field of a custom kind is refused both in check mode and in a run", async () => {
    const wrong = tasks.object(tent({ sise: 3 }));
    for (const [end] of [await tasks.host.check(wrong), await tasks.host.apply(wrong)]) {
      expect(end?.error?.message).toMatch(/sise/);
      expect(end?.outcome).toBe("failed");
    }
  });
});
