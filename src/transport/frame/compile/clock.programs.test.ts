import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ignoreAll } from "../../../core/host/frame.ts";
import { file } from "../../../facts/files/file.ts";
import { localLink, shellsHere } from "../fixtures/local-shells.fixture.ts";
import { openFrameSession } from "../session/session.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-clock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

describe.each(shellsHere)("%s", (shell) => {
  test("measures the time and processes of each task in a frame, and sends no timestamps without --profile", async () => {
    const options = { host: "here", link: localLink(shell, folder), user: "root", become: undefined, signal };
    const session = await openFrameSession({ ...options, profile: true });
    const run = (command: string) => ({ step: "run", argv: ["sh", "-c", command] }) as const;
    await session.frame({ items: [{ item: "read", questions: [file("/etc/passwd")] }] }, ignoreAll, signal);
    const results = await session.frame(
      {
        items: [
          { item: "steps", task: "0", title: "sleeps", steps: [run("sleep 0.3")] },
          { item: "steps", task: "1", title: "forks", steps: [run("for i in 1 2 3 4 5 6 7 8; do sh -c : ; done")] },
          { item: "read", questions: [file("/etc/group")] },
        ],
      },
      ignoreAll,
      signal,
    );
    expect(results.map(({ item }) => item)).toEqual(["steps", "steps", "read"]);
    const { profile } = session.stats();
    await session.close();
    expect(profile?.tasks.map(({ title }) => title)).toEqual(["sleeps", "forks"]);
    const [sleeps, forks] = profile?.tasks ?? [];
    expect(sleeps?.hostMs).toBeGreaterThanOrEqual(290);
    expect(forks?.processes).toBeGreaterThanOrEqual(8);
    expect(profile?.hostMs).toBeGreaterThanOrEqual((sleeps?.hostMs ?? 0) + (forks?.hostMs ?? 0));
    // Both the start and the end are measured only to the nearest 10 ms.
    expect((profile?.frameMs ?? 0) + 20).toBeGreaterThanOrEqual(profile?.hostMs ?? Infinity);

    const plain = await openFrameSession({ ...options, link: localLink(shell, folder) });
    await plain.frame({ items: [{ item: "read", questions: [file("/etc/passwd")] }] }, ignoreAll, signal);
    expect(plain.stats().profile).toBeUndefined();
    await plain.close();
  });
});
