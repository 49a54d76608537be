import { expect, test } from "vitest";
import { cron } from "../../../tasks/cron/cron.ts";
import { download } from "../../../tasks/download/download.ts";
import { file } from "../../../tasks/file/file.ts";
import { service } from "../../../tasks/service/service.ts";
import { isFurrowError } from "../errors.ts";
import { parseInput } from "./params.ts";

test.each([
  [service, { name: "nginx", state: "restarted" }, /list in restartOn the tasks whose changes require a restart$/],
  [service, { name: "nginx", state: "startd" }, /^Write "started" instead of "startd"$/],
  [file, { path: "/x", state: "touch" }, /content: ""/],
  [file, { dest: "/x", content: "" }, /^Write "path" instead of "dest"$/],
  [cron, { name: "x", command: "x", minute: 3 }, /^Write "schedule" instead of "minute"$/],
  [download, { url: "https://x", path: "/x", timeout: 3 }, /^Write "timeoutSeconds" instead of "timeout"$/],
])("%o with %o, as in Ansible, is refused with a hint that says what to write", ({ card }, input, hint) => {
  let failure: unknown;
  try {
    parseInput(card.params, input, { task: card.name });
  } catch (error) {
    failure = isFurrowError(error) ? error.failure.hint : error;
  }
  expect(failure).toMatch(hint);
});
