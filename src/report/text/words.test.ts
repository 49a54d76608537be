import { expect, test } from "vitest";
import { factName, taskName } from "./words.ts";

test.each([
  ["file:/etc/motd", "file:/etc/motd"],
  ['file:{"path":"./kubeconfig","sealed":true}', "file:./kubeconfig"],
  [String.raw`filtered:{"path":"/etc/a \"b\"","through":["sed"]}`, 'filtered:/etc/a "b"'],
  ['http:{"url":"http://x"}', 'http:{"url":"http://x"}'],
])("%s is called %s", (id, name) => {
  expect(factName(id)).toBe(name);
});

test("names the host of a delegated task once", () => {
  const label = { id: "1", module: "file", title: "file /a", path: ["kubeconfig", "on node"] };
  expect(taskName({ ...label, on: "node" })).toBe("kubeconfig › file /a on node");
  expect(taskName(label)).toBe("kubeconfig › on node › file /a");
});
