import { describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { secretOf } from "../../core/secrets/secret.ts";
import { type FieldSet, isExactly } from "./field-set.ts";
import { liveObject, type LiveObject, ownable } from "./live-object.ts";
import { plainView, viewOfCorrect, viewsOf } from "./view.ts";

const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } };
const sealed = expect.stringMatching(/^sealed:/) as string;

/** More parts of the object. */
type More = { readonly metadata?: object; readonly [part: string]: unknown };

/** An object on the server, in which `shop` owns these fields. */
const owned = (fieldsV1: FieldSet, more: More): LiveObject => {
  const entry = { manager: "shop", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 };
  const metadata = { ...deployment.metadata, ...more.metadata, uid: "1", managedFields: [entry] };
  return liveObject.parse({ ...deployment, ...more, metadata });
};
const sent = (more: object, kind = "Deployment") => ({
  object: { ...deployment, kind, ...more },
  fieldManager: "shop",
});

describe("a field that is no longer sent", () => {
  const both = { "f:spec": { "f:replicas": {}, "f:paused": {} } };
  const one = { "f:spec": { "f:paused": {} } };
  const before = owned(both, { spec: { replicas: 3, paused: true } });

  test("shows the value that it falls back to", () => {
    const views = viewsOf(
      sent({ spec: { paused: true } }),
      before,
      owned(one, { spec: { replicas: 1, paused: true } }),
    );
    expect(views.now.fields).toEqual({ "spec.paused": true, "spec.replicas": 3 });
    expect(views.after.fields).toEqual({ "spec.paused": true, "spec.replicas": absent });
    expect(views.fallbacks).toEqual({ "spec.replicas": 1 });
  });

  test("loses only its owner if the value stays", () => {
    const views = viewsOf(
      sent({ spec: { paused: true } }),
      before,
      owned(one, { spec: { replicas: 3, paused: true } }),
    );
    expect(views.now.owner).toEqual({ "spec.paused": "shop", "spec.replicas": "shop" });
    expect(views.after.owner).toEqual({ "spec.paused": "shop", "spec.replicas": absent });
    expect(views).not.toHaveProperty("fallbacks");
  });

  test("shows no text, old or new, that may be a secret", () => {
    const set = { "f:spec": { "f:password": {}, "f:paused": {} } };
    const live = owned(set, { spec: { password: "hunter2", paused: true } });
    const views = viewsOf(
      sent({ spec: { paused: true } }),
      live,
      owned(one, { spec: { password: "given", paused: true } }),
    );
    expect(views.fallbacks).toEqual({ "spec.password": "(not shown)" });
    expect(JSON.stringify(views)).not.toMatch(/hunter2|given/);
  });
});

describe("a password", () => {
  const users = [{ name: "ann", password: "hunter2" }];
  const all = { "f:spec": { "f:users": {} } };

  test("in a list is not shown if the server cannot be asked", () => {
    const containers = [{ name: "web", env: [{ name: "DB_PASSWORD", value: "hunter2" }] }];
    expect(plainView(sent({ spec: { containers, paused: true } })).fields).toEqual({
      "spec.containersSeal": sealed,
      "spec.paused": true,
    });
  });

  test("in a list that is replaced as a whole is not shown, nor is the password of another entry", () => {
    const live = owned(all, { spec: { users: [{ name: "bob", password: "swordfish" }] } });
    const views = viewsOf(sent({ spec: { users } }), live, owned(all, { spec: { users } }));
    expect(views.now.fields).toEqual({ "spec.usersSeal": sealed });
    expect(views.after.fields).toEqual({ "spec.usersSeal": sealed });
    const none = viewsOf(sent({ spec: { users: [] } }), live, owned(all, { spec: { users: [] } }));
    expect([none.now.fields, none.after.fields]).toEqual([{ "spec.users": "(not shown)" }, { "spec.users": [] }]);
  });

  test("in the old value is not shown if the new value is not secret", () => {
    const set = { "f:data": { "f:url": {} } };
    const live = owned(set, { data: { url: "postgres://shop:hunter2@db/shop" } });
    const views = viewsOf(sent({ data: { url: "db" } }), live, owned(set, { data: { url: "db" } }));
    expect([views.now.fields, views.after.fields]).toEqual([{ "data.url": "(not shown)" }, { "data.url": "db" }]);
  });

  test.each(["https://ghp_token@host/x", "https://b/k?X-Amz-Signature=0af"])("in the URL %s is not shown", (url) => {
    const set = { "f:data": { "f:url": {} } };
    const views = viewsOf(sent({ data: { url } }), owned(set, { data: { url: "db" } }), owned(set, { data: { url } }));
    expect(views.after.fields).toEqual({ "data.urlSeal": sealed });
  });

  test("is not shown in a text with other lines, and the name of a Secret is shown", () => {
    const conf = "password = hunter2\nlog = /var/log/file";
    const data = { conf, "example.com/secret-name": "web-secret", secretName: "web-secret", tokenUrl: "http://u:p@x" };
    expect(plainView(sent({ data })).fields).toEqual({
      "data.confSeal": sealed,
      "data[example.com/secret-name]": "web-secret",
      "data.secretName": "web-secret",
      "data.tokenUrlSeal": sealed,
    });
  });

  test("from a secret stays hidden, and other values are shown", () => {
    const set = { "f:data": { "f:a": {}, "f:b": {} } };
    const data = { a: String(secretOf("hunter2", "a")), b: "blue" };
    const live = owned(set, { data: { a: "old", b: "green" } });
    const views = viewsOf(sent({ data }), live, owned(set, { data: { a: "hunter2", b: "blue" } }));
    expect(views.now.fields).toEqual({ "data.aSeal": sealed, "data.b": "green" });
    expect(views.after.fields).toEqual({ "data.aSeal": sealed, "data.b": "blue" });
  });
});

describe("the order of a list whose items have keys", () => {
  const item = (name: string) => ({ name });
  const items = (...names: string[]) => ({ spec: { containers: names.map((name) => ({ name })) } });
  const set: FieldSet = {
    "f:spec": {
      "f:containers": Object.fromEntries(
        ["a", "b"].map((n) => [`k:${JSON.stringify(item(n))}`, { ".": {}, "f:name": {} }]),
      ),
    },
  };
  const views = (now: string[], then: string[], given: string[]) =>
    viewsOf(sent(items(...given)), owned(set, items(...now)), owned(set, items(...then)));
  const list = "spec.containers";

  test("is a change if the server applies it", () => {
    const { now, after, reordered } = views(["a", "x", "b"], ["b", "x", "a"], ["b", "a"]);
    expect([now.order, after.order]).toEqual([{ [list]: "name=a; name=b" }, { [list]: "name=b; name=a" }]);
    expect(reordered).toBeUndefined();
  });

  test("is reported if the server keeps a different order from the one sent", () => {
    const { now, after, reordered } = views(["a", "b"], ["a", "b"], ["b", "a"]);
    expect(after.order).toEqual(now.order);
    expect(reordered).toEqual([list]);
  });

  test("is not mentioned if an item is added or nothing differs", () => {
    const added = views(["a"], ["a", "b"], ["a", "b"]);
    expect([added.now.order, added.after.order, added.reordered]).toEqual([undefined, undefined, undefined]);
    expect(views(["a", "b"], ["a", "b"], ["a", "b"]).reordered).toBeUndefined();
  });
});

describe("an object that is already correct", () => {
  const ports = {
    "f:ports": { 'k:{"port":80}': { ".": {}, "f:port": {} }, 'k:{"port":443}': { ".": {}, "f:port": {} } },
  };
  test.each<readonly [string, FieldSet, More]>([
    ["with a list", { "f:spec": ports }, { spec: { ports: [{ port: 443 }, { port: 80 }] } }],
    ["with keys that contain dots", { "f:data": { "f:a.b": {} } }, { data: { "a.b": "1" } }],
    ["with a password", { "f:data": { "f:password": {} } }, { data: { password: "hunter2" } }],
    [
      "with a key named __proto__",
      { "f:data": JSON.parse('{"f:__proto__":{}}') as FieldSet },
      { data: JSON.parse('{"__proto__":"a"}') as object },
    ],
    ["of which a field has gone", { "f:data": { "f:a": {}, "f:b": {} } }, { data: { a: "1" } }],
    ["of which nothing is owned", {}, { data: { a: "1" } }],
  ])("%s looks the same as in a comparison", (_, set, more) => {
    const live = owned(set, more);
    const view = viewOfCorrect(sent(more), live);
    expect(view.now).toEqual(viewsOf(sent(more), live, live).now);
    expect(Object.keys(view.now.fields)).toEqual(Object.keys(viewsOf(sent(more), live, live).now.fields));
    expect(JSON.stringify(view)).not.toContain("hunter2");
  });

  test.each<readonly [string, FieldSet, More]>([
    [
      "with a mapping that is replaced as a whole",
      { "f:spec": { "f:selector": {} } },
      { spec: { selector: { a: "b" } } },
    ],
    ["with an empty mapping", { "f:spec": { "f:emptyDir": {} } }, { spec: { emptyDir: {} } }],
    ["with a list that is replaced as a whole", { "f:spec": { "f:args": {} } }, { spec: { args: ["a", "b"] } }],
    ["with a status", { "f:data": { "f:a": {} }, "f:status": { "f:b": {} } }, { data: { a: "1" }, status: { b: "2" } }],
    ["with a label", { "f:metadata": { "f:labels": { "f:a.b/c": {} } } }, { metadata: { labels: { "a.b/c": "d" } } }],
    ["with a password", { "f:data": { "f:password": {} } }, { data: { password: "hunter2" } }],
    ["with a list whose items have keys", { "f:spec": ports }, { spec: { ports: [{ port: 443 }, { port: 80 }] } }],
  ])("%s shows exactly the fields that are sent", (_, set, more) => {
    const own = {
      ...sent(more),
      object: { ...deployment, ...more, metadata: { ...deployment.metadata, ...more.metadata } },
    };
    const live = owned(set, own.object);
    expect(isExactly(set, ownable(own.object), live)).toBe(true);
    expect(viewOfCorrect(own, live).sent).toEqual(plainView(own).fields);
  });

  test("shows exactly the fields that are sent if one of them is a secret", () => {
    const own = sent({ data: { a: String(secretOf("hunter2", "a")) } });
    const view = viewOfCorrect(own, owned({ "f:data": { "f:a": {} } }, { data: { a: "hunter2" } }));
    expect(view.sent).toEqual(plainView(own).fields);
    expect(JSON.stringify(view)).not.toContain("hunter2");
  });
});
