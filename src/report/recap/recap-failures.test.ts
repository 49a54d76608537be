import { expect, test } from "vitest";
import { FurrowError } from "../../core/errors.ts";
import { paintFor } from "../text/colours.ts";
import { type Failed, failureLines } from "./recap-failures.ts";

const style = { paint: paintFor(false), folder: "/", fold: true, verbose: false };

/** Returns the lines of output that the recap repeats. */
function repeated(details: readonly string[]): string[] {
  const error = new FurrowError("E_STEP", { what: "`x` failed", details });
  const failed: Failed = { host: "web1", task: "service nginx", error };
  return failureLines([failed], style).flatMap((line) => /^ +\| (.*)$/.exec(line)?.[1] ?? []);
}

test("repeats the log line that says why a service did not start, not only the last lines", () => {
  const [cause, tested] = [
    'nginx[7]: [emerg] invalid parameter "bogus" in /etc/nginx/conf.d/a.conf:1',
    "nginx[7]: nginx: configuration file /etc/nginx/nginx.conf test failed",
  ];
  const end = [
    "nginx.service: Control process exited, code=exited, status=1/FAILURE",
    "nginx.service: Failed with result 'exit-code'.",
    "Failed to start nginx.service - A high performance web server.",
    "See the journal.",
  ];
  const start = ["Starting nginx.service...", "nginx[7]: listening"];
  expect(repeated([...start, cause, tested, ...end])).toEqual([cause, ...end.slice(1)]);
  expect(repeated([...start, "a", "b", "c", "d"])).toEqual(["a", "b", "c", "d"]);
  expect(repeated(["error 1", "error 2", "error 3", "error 4", "done"])).toEqual([
    "error 2",
    "error 3",
    "error 4",
    "done",
  ]);
  expect(repeated(["one", "two"])).toEqual(["one", "two"]);
});

test("does not show one host's address as that of all hosts with the same error", () => {
  const failed = (host: string, address: string): Failed => ({
    host,
    task: undefined,
    error: new FurrowError("E_AUTH", {
      what: `no SSH key or password to log in to ${address} as root`,
      hint: `Add a key for ${host}`,
    }).at({ host }),
  });
  expect(failureLines([failed("dead", "10.77.0.99"), failed("closed", "127.0.0.1")], style).slice(2)).toEqual([
    "  dead, closed",
    "    E_AUTH: no SSH key or password to log in to <address> as root",
    "    Add a key for <host>",
  ]);
  expect(failureLines([failed("dead", "10.77.0.99")], style)[3]).toContain("10.77.0.99");
});
