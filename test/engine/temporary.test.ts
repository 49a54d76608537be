import { describe, expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate, type SimulateOptions, type Simulation } from "../../src/testing/index.ts";
import * as t from "../../tasks/index.ts";

/** A playbook that stops an app for a migration, as docs/guides/failures.md shows it. */
function migrating(options: { readonly ifNeeded: boolean }): ReturnType<typeof playbook> {
  return playbook({
    name: "Migrate",
    plays: [
      {
        hosts: "all",
        tasks: () => {
          const pending = t.command({ command: ["app", "migrations", "--pending"], always: true, disturbs: [] });
          const when = options.ifNeeded ? { when: pending.output.map(({ stdout }) => stdout !== "") } : {};
          return [
            pending,
            t.service({ name: "app", state: "stopped" }, { ...when, temporary: true }),
            t.command({ command: ["app", "migrate"], always: true, disturbs: [] }, when),
            t.service({ name: "app", state: "started" }),
          ];
        },
      },
    ],
  });
}

function run(ifNeeded: boolean, pending: string, options: Partial<SimulateOptions> = {}): Promise<Simulation> {
  return simulate(migrating({ ifNeeded }), {
    hosts: ["web"],
    state: { web: { "unit:app.service": { state: "started", enabled: true, active: "active" } } },
    perform: (step) => (step.step === "run" && step.argv[1] === "migrations" ? { stdout: pending } : undefined),
    ...options,
  });
}

const outcomes = ({ tasks }: Simulation): string[] => tasks.map(({ outcome }) => outcome);

describe("an app that is stopped, migrated and started", () => {
  test("changes in every run without `when`, and check mode says so", async () => {
    for (const mode of ["check", "apply"] as const) {
      expect(outcomes(await run(false, "", { mode })), mode).toEqual(["changed", "changed", "changed", "changed"]);
    }
    const first = await run(false, "");
    expect(first.tasks.map(({ steps }) => steps).slice(1)).toEqual([
      ["systemctl stop app.service"],
      ["app migrate"],
      ["systemctl start app.service"],
    ]);
    expect(outcomes(await run(false, "", { state: first.state }))).toEqual(outcomes(first));
  });

  test("stays started if `when` says that there is nothing to migrate", async () => {
    expect(outcomes(await run(true, ""))).toEqual(["changed", "skipped", "skipped", "ok"]);
    expect(outcomes(await run(true, "0042\n"))).toEqual(["changed", "changed", "changed", "changed"]);
    expect(outcomes(await run(true, "", { mode: "check" }))).toEqual([
      "changed",
      "undecided",
      "undecided",
      "undecided",
    ]);
  });
});
