import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordedRun } from "../../../test/report/recorded-run.ts";
import { RunEnd } from "./run-end.ts";

const events = recordedRun("apply");

test("returns the result of a run that has ended", async () => {
  const end = new RunEnd();
  const process = new EventEmitter();
  for (const event of events) end.take(event);
  expect(await end.of(Promise.resolve(1), process)).toBe(1);
  expect(process.listenerCount("beforeExit")).toBe(0);
});

test("fails if a run ends without runFinished, and names what the run was waiting for", async () => {
  const end = new RunEnd();
  for (const event of events.slice(0, 6)) end.take(event);
  await expect(end.of(Promise.resolve(1), new EventEmitter())).rejects.toMatchObject({
    code: "E_BUG",
    failure: { details: ["was waiting for web1: file /etc/nginx/nginx.conf", "was waiting for web2: its first task"] },
  });
});

test("reports what the run was waiting for and exits with 1 if the process has nothing left to run", async () => {
  const script = `
    const { RunEnd } = await import(${JSON.stringify(join(import.meta.dirname, "run-end.ts"))});
    const end = new RunEnd();
    end.take({ type: "playStarted", play: "p", hosts: ["web1"] });
    await end.of(new Promise(() => {}), process).catch((error) => {
      process.stderr.write([error.message, ...error.failure.details].join("; "));
      process.exitCode = 1;
    });`;
  const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, ["--input-type=module", "-e", script], (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
  expect(ended).toEqual({
    code: 1,
    stderr: expect.stringContaining("nothing is left to run; was waiting for web1: its first task") as string,
  });
});
