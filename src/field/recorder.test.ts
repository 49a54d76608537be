import { expect, test } from "vitest";
import { FurrowError } from "../core/errors.ts";
import { ignoreAll, type ItemResult, type Session } from "../core/host/frame.ts";
import { Recorder } from "./recorder.ts";

/** A session that answers with the given results. */
function session(results: readonly ItemResult[], sent: unknown[] = []): Session {
  return {
    user: "root",
    frame: (frame) => {
      sent.push(frame);
      return Promise.resolve(results);
    },
    fetch: () => Promise.resolve(),
    stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 0, frames: 0 }),
    close: () => Promise.resolve(),
  };
}
const signal = new AbortController().signal;
const question = (kind: string, key: string) => ({ kind, key, facets: [] });

test("keeps the facets of several questions about the same fact, and forgets an error once there is an answer", async () => {
  const recorder = new Recorder();
  const error = new FurrowError("E_FACT", { what: "x" });
  const items = [{ item: "read", questions: [question("file", "/a"), question("unit", "b")] }] as const;
  const first = session([{ item: "read", answers: [{ value: { type: "file" } }, { error }] }]);
  await recorder.session(first).frame({ items }, ignoreAll, signal);
  expect([...recorder.unread]).toEqual([["unit:b", "E_FACT"]]);
  const second = session([{ item: "read", answers: [{ value: { text: "x" } }, { value: 1 }] }]);
  await recorder.session(second).frame({ items }, ignoreAll, signal);
  expect([...recorder.facts]).toEqual([
    ["file:/a", { type: "file", text: "x" }],
    ["unit:b", 1],
  ]);
  expect(recorder.unread.size).toBe(0);
});

test("sends no step to a host, and fetches no file from it", async () => {
  const sent: unknown[] = [];
  const recording = new Recorder().session(session([], sent));
  const steps = [{ step: "run", argv: ["true"] }] as const;
  const frame = recording.frame({ items: [{ item: "steps", task: "x", steps }] }, ignoreAll, signal);
  await expect(frame).rejects.toThrow("a field report was about to perform a step on the host");
  await expect(recording.fetch({} as never, signal)).rejects.toThrow("a field report was about to perform a step");
  expect(sent).toEqual([]);
});

test("does not query clusters or clouds, and performs no calls", async () => {
  const find = new Recorder().drivers((name) =>
    Promise.resolve({ name, read: () => Promise.resolve("asked"), call: () => Promise.resolve("called") }),
  );
  for (const name of ["kubernetes", "rancher", "kubeconfig", "ec2", "gce"]) {
    await expect((await find(name)).read({}, signal)).rejects.toThrow(`a field report does not query ${name}`);
  }
  const http = await find("http");
  expect(await http.read({ url: "x" }, signal)).toBe("asked");
  expect(Object.keys(http)).not.toContain("call");
});
