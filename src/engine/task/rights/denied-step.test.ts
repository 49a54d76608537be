import { expect, test } from "vitest";
import { FurrowError } from "../../../core/errors.ts";
import type { Step } from "../../../core/host/step.ts";
import { withBecomeHint } from "./denied-step.ts";

const run: Step = { step: "run", argv: ["true"] };
const failed = (...details: string[]): FurrowError =>
  new FurrowError("E_STEP", { what: "x failed", current: "exit code 1", details });
const hintOf = (error: FurrowError): string | undefined => error.failure.hint;

test.each([
  "mkdir: cannot create directory '/etc/x': Permission denied",
  "chown: changing ownership of '/etc/x': Operation not permitted",
  "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?",
  "Error: This command has to be run with superuser privileges (under the root user on most systems).",
  "useradd: cannot lock /etc/passwd; try again later.",
  "must be privileged to use -u",
  "mount: /mnt: must be superuser to use mount.",
  "hostname: you must be root to change the host name",
  "dmesg: only root can do that",
  "Failed to stop nginx.service: Interactive authentication required.",
])("suggests `become` if the user lacks a right: %s", (line) => {
  const hint = 'Add become: "root" to the task or the play: the task acts as admin';
  expect(hintOf(withBecomeHint(failed("first", line), { become: undefined }, [run], "admin"))).toBe(hint);
  expect(hintOf(withBecomeHint(failed(line), { become: "admin" }, [run], "root"))).toBe(hint);
});

test("adds no hint if root failed, if the error has another cause, or if the step names its own user", () => {
  const error = failed("Permission denied");
  expect(withBecomeHint(error, { become: undefined }, [run], "root")).toBe(error);
  expect(withBecomeHint(error, { become: "root" }, [run], "admin")).toBe(error);
  expect(withBecomeHint(error, { become: undefined }, [{ ...run, user: "root" }], "admin")).toBe(error);
  const other = failed("no such file");
  expect(withBecomeHint(other, { become: undefined }, [run], "admin")).toBe(other);
});
