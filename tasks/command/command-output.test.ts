import { describe, expect, test } from "vitest";
import { playbook, type StepResult, type TaskCall } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { file } from "../file/file.ts";
import { command } from "./command.ts";

const cutNote = "\n[… 43358 bytes left out …]\n";
const seq = () => command({ command: ["seq", "1", "90000"], always: true, disturbs: [] });

/** Runs these tasks on a host on which `seq` prints more than the limit and `id` does not. */
async function run(tasks: () => readonly TaskCall[], cut: StepResult["cut"] = ["stdout"]) {
  const site = playbook({ name: "x", plays: [{ hosts: "all", tasks }] });
  return simulate(site, {
    hosts: ["web"],
    perform: (step) =>
      step.step === "run" && step.argv[0] === "seq" ? { stdout: `${cutNote}9\n`, stderr: "warned\n", cut } : undefined,
  });
}

describe("the output of a command that printed more than the limit", () => {
  test("is never written to a file in truncated form", async () => {
    const { result, state } = await run(() => {
      const asked = seq();
      return [
        asked,
        file({ path: "/srv/before", content: "x" }),
        file({ path: "/srv/numbers", content: asked.output.map(({ stdout }) => stdout) }, { name: "numbers" }),
        file({ path: "/srv/after", content: "x" }),
      ];
    });
    expect(result.errors[0]).toMatchObject({
      code: "E_OUTPUT",
      failure: {
        what: 'the stdout of "command seq 1 90000" was cut',
        expected: "at most 256 KiB, or 64 KiB on a host that cannot keep a journal",
        where: { task: "numbers" },
      },
    });
    expect(state["web"]).toMatchObject({ "file:/srv/before": { text: "x" } });
    expect(state["web"]).not.toHaveProperty("file:/srv/numbers");
    expect(state["web"]).not.toHaveProperty("file:/srv/after");
  });

  test("includes the exit code and stderr, and does not fail a run that never reads the stdout", async () => {
    const { result, state } = await run(() => {
      const asked = seq();
      const said = asked.output.map(({ stderr, exitCode }) => `${exitCode} ${stderr}`);
      return [asked, file({ path: "/srv/said", content: said })];
    });
    expect(result.errors).toEqual([]);
    expect(state["web"]).toMatchObject({ "file:/srv/said": { text: "0 warned\n" } });
  });

  test("fails a condition or an `until` that reads it", async () => {
    const { result: condition } = await run(() => {
      const asked = seq();
      return [asked, file({ path: "/srv/x", content: "" }, { when: asked.output.map(({ stdout }) => stdout !== "") })];
    });
    expect(condition.errors).toMatchObject([{ code: "E_OUTPUT" }]);
    const { result: until } = await run(() => [
      command(
        { command: ["seq", "1", "90000"], always: true, disturbs: [] },
        { until: ({ stdout }) => stdout.includes("1"), retries: 0 },
      ),
    ]);
    expect(until.errors).toMatchObject([{ code: "E_OUTPUT" }]);
    const { result: exitCode } = await run(() => [
      command(
        { command: ["seq", "1", "90000"], always: true, disturbs: [] },
        { until: (output) => output.exitCode === 7, retries: 0 },
      ),
    ]);
    expect(exitCode.errors).toMatchObject([{ code: "E_NOT_CONVERGED" }]);
  });
});
