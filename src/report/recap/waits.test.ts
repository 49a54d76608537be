import { expect, test } from "vitest";
import { waitsFor } from "./run-record.ts";

const of = (title: string, because: string): string | undefined => waitsFor({ because, task: { title } } as never);

test("a wait whose title already says what it waits for does not repeat it", () => {
  const title = "Harvester has applied the setting http-proxy";
  const because = "would wait for Harvester to apply the setting http-proxy";
  expect(of(title, because)).toBe("");
  expect(of(title, `${because}; now: it is old`)).toBe("; now: it is old");
});

test("a wait says what it waits for", () => {
  expect(of("kubeWait Pod a/b", "would wait for Pod a/b to exist; now: it is gone")).toBe("to exist; now: it is gone");
  expect(of("http-wait", "would wait for http://a/ to answer 200")).toBe("for http://a/ to answer 200");
  expect(of("x", "would wait for 3 s")).toBe("for 3 s");
});
