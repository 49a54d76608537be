import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../../covered.ts";
import { tortureSeed } from "../../seeded.ts";
import { apply } from "../actors.ts";
import { harvesterKinds } from "../harvester-kinds.ts";
import { type ObjectData, refusal, Tasks } from "../on-server.ts";
import { ApiServer } from "../server/api-server.ts";
import { judgedByCompiler, judgedByServer } from "./judges.ts";
import { mutantsOf } from "./mutants.ts";
import { shippedObjects } from "./shipped.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);
const count = Number(process.env["FURROW_MUTANTS"] ?? 200);

beforeAll(async () => {
  server = await ApiServer.up();
  apply(server, ...harvesterKinds);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  server.kubectl(["create", "namespace", "shop"]);
});
afterAll(() => server?.down());

/** An object to judge, and the mistake in it; objects that we ship contain no mistake. */
interface Case {
  readonly kind: string;
  readonly type: string;
  readonly plural: string;
  readonly mistake: string;
  readonly object: ObjectData;
}

const shipped = shippedObjects();
const cases: readonly Case[] = shipped.flatMap(({ schema, objects, ...kind }) => [
  ...objects.map((object) => ({ ...kind, mistake: "", object })),
  ...objects
    .flatMap((object, at) => mutantsOf(object, schema, tortureSeed + at, Math.ceil(count / objects.length)))
    .slice(0, count)
    .map((mutant) => ({ ...kind, ...mutant })),
]);

function pathOf({ apiVersion, metadata }: ObjectData, plural: string): string {
  const { name, namespace } = metadata as { readonly name: string; readonly namespace?: string };
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `/apis/${String(apiVersion)}${place}/${plural}/${name}`;
}

test("furrow, the compiler and the server all accept every object that we ship, and reject every mutant", async () => {
  const byCompiler = judgedByCompiler(cases);
  const differing: string[] = [];
  for (const [at, { kind, plural, mistake, object }] of cases.entries()) {
    const byServer = await judgedByServer(server, pathOf(object, plural), object);
    const [end] = await tasks.host.check(tasks.object(object));
    const byFurrow = end?.outcome !== "failed";
    if (
      byFurrow !== byServer.accepted ||
      byCompiler[at] !== byServer.accepted ||
      byServer.accepted !== (mistake === "")
    )
      differing.push(
        `${kind} ${mistake}: furrow ${byFurrow} (${refusal(end)}: ${end?.error?.message}), compiler ${byCompiler[at]}, ` +
          `server ${byServer.accepted} (${byServer.message}): ${JSON.stringify(object)}`,
      );
  }
  covered(
    `${cases.length} objects of ${shipped.length} kinds judged alike by furrow, the compiler and an API server (${server.customVersion})`,
  );
  expect(differing).toEqual([]);
}, 3_600_000);
