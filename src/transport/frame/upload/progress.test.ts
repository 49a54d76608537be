import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ignoreAll } from "../../../core/host/frame.ts";
import type { Channel } from "../../../core/host/transport.ts";
import { batchesOf } from "../compile/batch.ts";
import { fetchFile } from "./fetch.ts";
import { stageTogether } from "./stage-batch.ts";
import { sentAs } from "./counted.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ["hrtime", "Date"] }));
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();

/** A shell on a slow host: takes 300 ms for every write, and answers with what `answer` returns for it. */
function slowShell(answer: (text: string) => readonly (string | Buffer)[]): Channel {
  let out: (data: Uint8Array) => void | Promise<void> = () => {};
  const { promise: ended, resolve: end } = Promise.withResolvers<Awaited<Channel["ended"]>>();
  return {
    write: async (data) => {
      vi.advanceTimersByTime(300);
      for (const part of answer(Buffer.from(data).toString("latin1"))) {
        vi.advanceTimersByTime(300);
        await out(Buffer.from(part));
      }
    },
    end: () => end({ code: 0, signal: undefined }),
    destroy: () => end({ code: undefined, signal: "SIGHUP" }),
    onStdout: (listener) => (out = listener),
    onStderr: () => {},
    ended,
  };
}

function nonceIn(text: string): string {
  return /\bf[0-9a-f]{16}\b/.exec(text)?.[0] ?? "";
}

test.each([
  { named: "and its total, if the size is known", bytes: 3000, of: " of 3000" },
  { named: "without a total, for a filtered file", bytes: undefined, of: "" },
])("reports the progress of a fetch $named", async ({ bytes, of }) => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-progress-"));
  const to = join(folder, "copy");
  const piece = Buffer.alloc(1000, "x");
  const shell = slowShell((text) => [`${nonceIn(text)}\n`, piece, piece, piece]);
  const told: string[] = [];
  await fetchFile(
    shell,
    { step: "fetch", path: "/srv/file", to, mode: "0600", ...(bytes !== undefined && { bytes }) },
    {
      host: "web1",
      signal,
      stallMs: 60_000,
      progress: (done, total) => told.push(`${done}${total === undefined ? "" : ` of ${total}`}`),
    },
  );
  expect(readFileSync(to)).toHaveLength(3000);
  expect(told).toEqual([`1000${of}`, `3000${of}`]);
  rmSync(folder, { recursive: true });
});

test("reports the progress of files that are sent in one stream, as output of their task", async () => {
  const text = "x".repeat(1_500_000);
  const [batch] = batchesOf(["a", "b", "c"].map((name) => ({ step: "writeFile", path: `/srv/site/${name}`, text })));
  const told: string[] = [];
  let nonce = "";
  const shell = slowShell((written) => {
    if (nonce === "") {
      nonce = nonceIn(written);
      return [`${nonce} ready\n`];
    }
    return written.endsWith("\0".repeat(1024)) ? [`${nonce} came\n`] : [];
  });
  const item = { item: "steps", task: "site", title: "site", steps: [] } as const;
  const sent = sentAs(item, { ...ignoreAll, output: ({ task, text: line }) => told.push(`${task}: ${line.trim()}`) });
  expect(batch?.entries).toHaveLength(3);
  if (batch !== undefined) await stageTogether(() => Promise.resolve(shell), batch, signal, 60_000, sent);
  // The bytes of the headers are counted too, but the reported number never exceeds the size of the files.
  expect([...new Set(told)]).toEqual([
    "site: furrow: 1501024 of 4500000 bytes",
    "site: furrow: 4500000 of 4500000 bytes",
  ]);
});
