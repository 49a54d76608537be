import { expect, it } from "vitest";
import { finished, label, recapOf } from "../../../test/report/recorded-run.ts";
import { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { RunText } from "../run-text.ts";

const error = new FurrowError("E_REFUSED", {
  what: "the disk holds data, and the task would erase all of it",
  hint: "Choose a disk that is empty, or erase it yourself with wipefs -a /dev/sdb",
});
const events: readonly RunEvent[] = [
  { type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts: ["web1"], version: "0" },
  { type: "warning", host: "web1", text: "the clock of the host differs by more than a minute from ours" },
  finished("web1", label("0", "file /a"), "ok", { notes: ["the file is also written by the task of another play"] }),
  finished("web1", label("1", "file /b"), "failed", { error }),
  {
    type: "runFinished",
    run: "1",
    mode: "apply",
    recap: [recapOf("web1", { failed: 1 })],
    durationMs: 10,
    interrupted: false,
  },
];

function shown(columns: number | undefined): readonly string[] {
  const width = columns === undefined ? {} : { columns: () => columns };
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/home/me", ...width });
  return events.flatMap((event) => text.lines(event, 0));
}

it("breaks warnings, notes, errors and hints between words on a narrow terminal", () => {
  expect(`\n${shown(40).join("\n")}`).toMatchInlineSnapshot(`
    "
    running p on 1 host
    web1  warning      the clock of the host
        differs by more than a minute from
        ours
    web1  ok           file /a
        note: the file is also written by
          the task of another play
    web1  failed       file /b
        E_REFUSED  the disk holds data, and
          the task would erase all of it
          hint  Choose a disk that is empty,
                or erase it yourself with
                wipefs -a /dev/sdb

    recap
      web1  1 failed

    failed
      file /b  E_REFUSED: the disk holds
        data, and the task would erase all
        of it

    0 changed, 0 ok, 1 failed, 1 warning
      on 1 host in 10 ms"
  `);
});

it("breaks no line in a log", () => {
  const lines = shown(undefined);
  expect(lines).toContain("web1  warning      the clock of the host differs by more than a minute from ours");
  expect(lines).toContain("    note: the file is also written by the task of another play");
  expect(lines).toContain("      hint  Choose a disk that is empty, or erase it yourself with wipefs -a /dev/sdb");
});
