import { expect, test } from "vitest";
import type { FactChange, Mode } from "../../core/events.ts";
import { absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { paintFor } from "../text/colours.ts";
import { changeLines } from "./changes.ts";

function shown(title: string, mode: Mode, fact: string, differences: FactChange["differences"]): string[] {
  return changeLines([{ fact, differences, secret: false }], title, { diff: false, mode, paint: paintFor(false) });
}

const file = "file:/etc/systemd/system/uapp.service";

test("a new service is shown without furrow's notes about its start", () => {
  const to = {
    state: "started",
    enabled: true,
    startedWith: { [file]: { presence: "present", sha256: "12" } },
    reloadedWith: {},
  };
  expect(shown("service uapp", "check", "unit:uapp.service", [{ path: "", from: absent, to }])).toEqual([
    "+ state started, enabled true",
  ]);
  const parts = [
    { path: "state", from: "stopped", to: "started" },
    { path: `startedWith.${file}.presence`, from: absent, to: "present" },
    { path: "reloadedWith", from: absent, to: {} },
  ];
  expect(shown("service uapp", "check", "unit:uapp.service", parts)).toEqual(["state  stopped → started"]);
  const whole = [{ path: "startedWith", from: absent, to: { [file]: { presence: "present" } } }];
  expect(shown("service uapp", "check", "unit:uapp.service", whole)).toEqual([
    "would restart: /etc/systemd/system/uapp.service is newer",
  ]);
});

test("a file whose whole text is secret is shown as secret, not as text without a final newline", () => {
  const text = "«secret /etc/user-plain»";
  const all = [{ path: "", from: absent, to: { type: "file", text } }];
  const change = { fact: "file:/etc/user-plain", differences: all, secret: false };
  const style = { diff: true, mode: "apply", paint: paintFor(false) } as const;
  expect(changeLines([change], "file /etc/user-plain", style)).toEqual(["+ type file, text (secret)"]);
  const later = { ...change, differences: [{ path: "text", from: "a\n", to: text }] };
  expect(changeLines([later], "file /etc/user-plain", style)).toEqual(["text  (secret) differs"]);
});

test("the exit code of an `unless` command is not shown as a change", () => {
  const fact = 'userCommand:{"argv":["sh","-c","test -e x"],"cwd":"/"}';
  expect(shown("sums", "check", fact, [{ path: "exitCode", from: 1, to: 0 }])).toEqual([]);
});

test("a value that was not read is left out after a run, not shown as known after apply", () => {
  const to = { type: "file", mode: knownAfterApply };
  const all = [{ path: "", from: absent, to }];
  expect(shown("file /etc/motd", "apply", "file:/etc/motd", all)).toEqual(["+ type file"]);
  expect(shown("file /etc/motd", "check", "file:/etc/motd", all)).toEqual(["+ type file, mode (known after apply)"]);
  const mode = [{ path: "mode", from: "0600", to: knownAfterApply }];
  expect(shown("file /etc/motd", "apply", "file:/etc/motd", mode)).toEqual([]);
});

test("the fields of a Kubernetes object have the names that Kubernetes gives them", () => {
  const of = { kubeconfig: "k", namespace: "shop", kind: "ConfigMap", name: "web" };
  const fact = `kubernetes:${JSON.stringify({ of, apply: { fieldManager: "shop", object: {} } })}`;
  const differences = [
    { path: "fields.data.color", from: "green", to: "blue" },
    { path: "owner.data.color", from: "kubectl", to: "shop" },
    { path: "order.spec.list", from: "a; b", to: "b; a" },
    { path: "fields.data.keySeal", from: "sealed:1", to: "sealed:2" },
    { path: "fields.data.userIDSeal", from: "sealed:1", to: "sealed:2" },
    { path: "fields.data[a.b]Seal", from: "sealed:1", to: "sealed:2" },
    { path: "sent.data.size", from: absent, to: "large" },
  ];
  expect(shown("kubeObject ConfigMap shop/web", "check", fact, differences)).toEqual([
    "data.color           green → blue",
    "owner of data.color  kubectl → shop",
    "order of spec.list   a; b → b; a",
    "data.key             (secret) differs",
    "data.userID          (secret) differs",
    "data[a.b]            (secret) differs",
    "data.size            absent → large",
  ]);
  expect(shown("another title", "check", fact, [differences[0]!])).toEqual([
    "kubernetes:ConfigMap shop/web  data.color  green → blue",
  ]);
});

test("an object that a task asks for by its path is shown with its name and its fields, not with furrow's key", () => {
  const request = { kubeconfig: "k", path: "/apis/harvesterhci.io/v1beta1/settings/backup-target", sealed: ["a"] };
  const differences = [{ path: "object.value", from: "", to: "nfs" }];
  expect(shown("backups go to nfs", "check", `kubernetes:${JSON.stringify(request)}`, differences)).toEqual([
    'kubernetes:settings backup-target  value  "" → nfs',
  ]);
});
