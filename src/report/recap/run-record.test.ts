import { expect, test } from "vitest";
import { waitsFor } from "./run-record.ts";

const said = (title: string, because: string): string | undefined =>
  waitsFor({ because, task: { title } } as Parameters<typeof waitsFor>[0]);

test.each([
  ["http-wait", "would wait for http://web1/ to answer 200", "for http://web1/ to answer 200"],
  ["kubeWait Pod shop/web", "would wait for shop/web to be Ready", "to be Ready"],
  // An earlier version printed "is restored for default/app-1b to be restored".
  ["default/app-1b is restored", "would wait for default/app-1b to be restored", ""],
  ["default/app-1b is restored", "would wait for default/app-1b to be restored; now: 20 % done", "; now: 20 % done"],
  ["default/app is off", "would wait for default/app-1b to be off", "for default/app-1b to be off"],
])("%s, %s: states the condition only once", (title, because, says) => {
  expect(said(title, because)).toBe(says);
});

test("a task that does not wait has no such text", () => {
  expect(said("package nginx", "the host is missing")).toBeUndefined();
});
