import { afterAll, beforeAll, expect, test } from "vitest";
import * as t from "../../../tasks/index.ts";
import { covered } from "../../covered.ts";
import { isFull, seeded } from "../../seeded.ts";
import { type TaskEnd, taskHost } from "../../tasks/on-host.ts";
import { refusal } from "../on-server.ts";
import { ApiServer } from "../server/api-server.ts";
import { definition, fieldsOwned, kinds, valuesOf } from "./fields.ts";
import type { Conflict, Manager, Values } from "./model.ts";
import { Subject } from "./others.ts";
import { RawApi } from "./raw-api.ts";

/** The number of edits. */
const edits = Number(process.env["FURROW_KUBE_EDITS"] ?? (isFull ? 10_000 : 300));
const seed = Number(process.env["FURROW_SEED"] ?? 20_261_128);
const random = seeded(seed);

/** The number of objects, and how many times each is edited between two runs. */
const objects = 10;
const perRun = edits > 1000 ? 15 : 3;

const furrow: Manager = "furrow-shop Apply";
const host = taskHost();
let server: ApiServer;
let api: RawApi;

beforeAll(async () => {
  server = await ApiServer.up();
  api = new RawApi(server.url, server.folder);
  server.kubectl(["create", "namespace", "shop"]);
  server.kubectl(["create", "--filename=-"], JSON.stringify(definition));
  server.kubectl(["wait", "--for=condition=Established", "crd/tents.camp.example.com", "--timeout=60s"]);
});
afterAll(async () => {
  api?.close();
  await server?.down();
});

const taskFor = (one: Subject) =>
  t.kubeObject(
    {
      kubeconfig: server.kubeconfig(),
      fieldManager: "furrow-shop",
      object: one.body(one.wanted),
      force: one.force,
    } as never,
    { ignoreFailure: true },
  );

/** What a run must report about an object, according to the model. */
function expected({ model, wanted, force }: Subject): string {
  const conflicts = force ? [] : model.conflicts(furrow, wanted);
  if (conflicts.length > 0)
    return `refused: ${conflicts
      .map((one) => conflictText(one, model.values, wanted))
      .toSorted()
      .join("; ")}`;
  return model.wouldChange(furrow, wanted) ? "changed" : "ok";
}

function conflictText({ field, manager }: Conflict, current: Values, wanted: Values): string {
  const [is, becomes] = [current, wanted].map((values) => JSON.stringify(values.get(field)));
  return `${field} is owned by ${manager.split(" ")[0] ?? ""} (current ${is}, wanted ${becomes})`;
}

function said(end: TaskEnd | undefined): string {
  if (refusal(end) !== "refused: field-conflict") return [end?.outcome, end?.error?.message].filter(Boolean).join(" ");
  const [, list = ""] = /^other managers own fields of [^:]*: (.*)$/.exec(end?.error?.message ?? "") ?? [];
  return `refused: ${list.split("; ").toSorted().join("; ")}`;
}

interface Read {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly fieldsV1: object;
    }[];
  };
}

/** All objects as kubectl prints them. */
function seen(): Read[] {
  const argv = ["get", "configmaps,tents", "--namespace=shop", "--output=json", "--show-managed-fields"];
  return (JSON.parse(server.kubectl(argv)) as { readonly items: Read[] }).items;
}

/** An object's state on the server, in the model's terms. */
function told({ kind, name }: Subject, all: readonly Read[]): object {
  const found = all.find((one) => one.kind === kind.kind && one.metadata.name === name);
  if (found === undefined) return { exists: false };
  const owners = (found.metadata.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => [
    `${manager} ${operation}`,
    fieldsOwned(kind, fieldsV1),
  ]);
  return {
    exists: true,
    values: Object.fromEntries(valuesOf(kind, found)),
    owners: Object.fromEntries(owners.filter(([, fields]) => (fields?.length ?? 0) > 0)) as object,
  };
}

function foretold({ model }: Subject): object {
  if (!model.exists) return { exists: false };
  return {
    exists: true,
    values: Object.fromEntries(model.values),
    owners: Object.fromEntries(model.managers().map((manager) => [manager, model.owned(manager)])),
  };
}

test("after edits by two other managers, furrow owns exactly what it sent, takes nothing without force, and then converges", async () => {
  const subjects = Array.from({ length: objects }, (_, at) => {
    const kind = kinds[at % kinds.length];
    return new Subject(kind as NonNullable<typeof kind>, `o${at}`, at % 5 > 1);
  });
  for (const one of subjects) await one.found(api);
  const counts = { changed: 0, ok: 0, refused: 0 };
  for (let done = 0, run = 1; done < edits; run += 1) {
    const where = `FURROW_SEED=${seed}, run ${run}`;
    for (const one of subjects) {
      for (let at = 0; at < perRun && done < edits; at += 1, done += 1) {
        if (random(3) === 0) one.rethink(random);
        else await one.edit(api, random);
      }
      one.force = random(6) === 0;
    }
    const wanted = subjects.map(expected);
    const nodes = subjects.map(taskFor);
    expect((await host.check(...nodes)).map(said), `check, ${where}`).toEqual(wanted);
    expect((await host.apply(...nodes)).map(said), where).toEqual(wanted);
    subjects.forEach((one, at) => {
      counts[(wanted[at] ?? "").split(":")[0] as keyof typeof counts] += 1;
      if (wanted[at]?.startsWith("refused") === false) one.model.apply(furrow, one.wanted);
    });
    const all = seen();
    expect(
      subjects.map((one) => told(one, all)),
      `kubectl, ${where}`,
    ).toEqual(subjects.map(foretold));
    expect((await host.apply(...nodes)).map(said), `again, ${where}`).toEqual(subjects.map(expected));
  }
  // Finally, everything is applied with force, so a further run has nothing left to change.
  for (const one of subjects) one.force = true;
  await host.apply(...subjects.map(taskFor));
  const last = await host.apply(...subjects.map(taskFor));
  expect(last.map(said)).toEqual(subjects.map(() => "ok"));
  covered(`${edits} edits of objects on an API server by two managers: ${JSON.stringify(counts)}`);
}, 7_200_000);
