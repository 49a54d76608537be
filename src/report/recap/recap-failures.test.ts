import { expect, test } from "vitest";
import { fleetNames } from "../../../test/report/fleet.ts";
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

/** The failure of a host whose output differs from that of every other host. */
function ownFailure(host: string): Failed {
  const error = new FurrowError("E_STEP", {
    what: `sh -c 'echo "error: database is locked (pid $$)" >&2; exit 3' failed`,
    details: [`error: database is locked (pid ${host.length}${host.slice(3)})`],
  });
  return { host, task: "migrate", error };
}

test("repeats one of 40 almost equal errors of a task, and says which other hosts have their own", () => {
  const hosts = fleetNames(40);
  const lines = failureLines(hosts.toReversed().map(ownFailure), { ...style, hosts });
  expect(lines).toEqual([
    "",
    "failed",
    "  web001  migrate",
    `    E_STEP: sh -c 'echo "error: database is locked (pid $$)" >&2; exit 3' failed`,
    "    | error: database is locked (pid 6001)",
    "    and 39 more hosts with other output, shown above: web002–web040",
  ]);
});

test("repeats up to three different errors of a task in full, in the order of the inventory", () => {
  const hosts = fleetNames(3);
  const lines = failureLines(hosts.toReversed().map(ownFailure), { ...style, hosts });
  expect(lines.filter((line) => /^ {2}web/.test(line))).toEqual([
    "  web001  migrate",
    "  web002  migrate",
    "  web003  migrate",
  ]);
});

test("repeats each of 40 almost equal errors with --no-fold", () => {
  const hosts = fleetNames(40);
  const lines = failureLines(hosts.map(ownFailure), { ...style, hosts, fold: false });
  expect(lines.filter((line) => line.includes("database is locked (pid 6"))).toHaveLength(40);
});

test("cuts a long command in a repeated error", () => {
  const error = new FurrowError("E_STEP", { what: `sh -c '${"echo one; ".repeat(90)}' failed` });
  const lines = failureLines([{ host: "web1", task: "migrate", error }], style);
  expect(lines[3]).toHaveLength(124);
  expect(lines[3]).toMatch(/^ {4}E_STEP: sh -c 'echo one; .*…$/);
  const narrow = failureLines([{ host: "web1", task: "migrate", error }], { ...style, columns: 60 });
  expect(narrow[3]).toHaveLength(60);
});

test("shows the known and the offered fingerprint of a changed host key, not a line to paste into known_hosts", () => {
  const changed = new FurrowError("E_HOST_KEY", {
    what: "the host key of web1 has changed",
    current: "ssh-ed25519 SHA256:+J1Npp",
    expected: "ssh-ed25519 SHA256:jf82ph (/home/me/known_hosts:30)",
    details: ["web1 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"],
  });
  expect(failureLines([{ host: "web1", task: "file /a", error: changed }], style).slice(3)).toEqual([
    "    E_HOST_KEY: the host key of web1 has changed",
    "    | known    ssh-ed25519 SHA256:jf82ph (/home/me/known_hosts:30)",
    "    | offered  ssh-ed25519 SHA256:+J1Npp",
  ]);
  const unknown = new FurrowError("E_HOST_KEY", { ...changed.failure, expected: "a line for web1 in known_hosts" });
  expect(failureLines([{ host: "web1", task: "file /a", error: unknown }], { ...style, isAlone: true })).toContain(
    "    | offered  ssh-ed25519 SHA256:+J1Npp",
  );
});
