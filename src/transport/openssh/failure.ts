import { AbortError } from "p-retry";
import { FurrowError, type ErrorCode, type Failure } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import { lastOf, offeredIn, readLog, shownIn, type SshLog } from "./log.ts";

/**
 * The error for an ssh process that could not connect, derived from its output: E_HOST_KEY, E_AUTH, E_FILE
 * (ssh_config), or E_UNREACHABLE. If another attempt cannot help, the error is wrapped in an AbortError.
 */
export function noConnection(address: Address, text: string): Error {
  const log = readLog(text);
  const [code, failure, again] = told(address, log);
  const details = log.said.slice(-10).filter((line) => line !== failure.current);
  const error = new FurrowError(code, { where: { host: address.name }, details, ...failure });
  return again ? error : new AbortError(error);
}

type Told = readonly [code: ErrorCode, failure: Failure, again: boolean];

function told(address: Address, log: SshLog): Told {
  const { said, debug } = log;
  const all = said.join("\n");
  const reached = lastOf(debug, /^Authenticating to (.*) as '.*'$/);
  const changed = /HOST IDENTIFICATION HAS CHANGED|REVOKED HOST KEY|Host key for .* was revoked/.test(all);
  if (changed || /host key is known for|Host key verification failed/.test(all)) {
    return ["E_HOST_KEY", hostKey(address, log), false];
  }
  if (/Permission denied \(|Too many authentication failures/.test(all)) {
    return reached === undefined
      ? ["E_AUTH", onTheWay(address, said.find((line) => /Permission denied|Too many auth/.test(line)) ?? all), false]
      : ["E_AUTH", refused(address, log), false];
  }
  if (/[Bb]ad configuration option|Bad owner or permissions|[Ii]nvalid quotes|configuration file/.test(all)) {
    const hint = "Correct ssh_config; `ssh -G` with the host's name reads it without connecting";
    return ["E_FILE", { what: "ssh cannot read its configuration", current: last(said), hint }, false];
  }
  if (/hostname contains invalid characters/.test(all)) {
    const what = `"${address.asked?.name ?? address.address}" is not a host name`;
    const hint = "Correct the host's address in the inventory";
    return ["E_UNREACHABLE", { what, current: last(said), hint }, false];
  }
  const name = lastOf(said, /Could not resolve hostname ([^:]+):/);
  if (name !== undefined) {
    const hint = "Check the host's address in the inventory, or set HostName in ssh_config";
    const again = /[Tt]emporary failure/.test(all);
    return ["E_UNREACHABLE", { what: `the name ${name} cannot be resolved`, current: last(said), hint }, again];
  }
  if (/Unable to negotiate/.test(all)) {
    const what = `${address.address} and ssh have no SSH algorithm in common`;
    const hint =
      "Allow one of the host's algorithms in ssh_config (KexAlgorithms, HostKeyAlgorithms, Ciphers), or update the host";
    return ["E_UNREACHABLE", { what, current: last(said), hint }, false];
  }
  return [
    "E_UNREACHABLE",
    {
      what: `no connection to ${reached ?? `${address.address} port ${address.port}`}`,
      current: last(said),
      hint: "Check that the host is up, that sshd listens on this port, and that the network in between works",
    },
    true,
  ];
}

function last(said: readonly string[]): string {
  return said.at(-1) ?? "ssh exited without a message";
}

function hostKey(address: Address, log: SshLog): Failure {
  const { said, debug } = log;
  const all = said.join("\n");
  const name = lastOf(debug, /^Authenticating to (.*) as '.*'$/) ?? address.address;
  const current = shownIn(log) ?? last(said);
  const place = lastOf(said, /^Offending .*key in (\S+:\d+)/) ?? lastOf(said, /(\S+:\d+)/);
  if (/REVOKED HOST KEY|was revoked|is revoked|marked as revoked|revoked by file/.test(all)) {
    return {
      what: `the host key of ${name} is revoked`,
      current,
      expected: `any key except the revoked one${place === undefined ? "" : ` at ${place}`}`,
      hint: "Find out why the key was revoked before you connect; the host may belong to someone else",
    };
  }
  if (/HOST IDENTIFICATION HAS CHANGED/.test(all)) {
    return {
      what: `the host key of ${name} has changed`,
      current,
      expected: `the key at ${place ?? "the line in known_hosts"}`,
      hint: `Find out whether the host was reinstalled; only then remove ${place ?? "the line"}. Otherwise someone may be intercepting the connection`,
    };
  }
  const invalid = lastOf(said, /^(Certificate invalid: .*)$/);
  return {
    what: `the host key of ${name} is not known`,
    current: invalid === undefined ? current : `${current}; ${invalid}`,
    expected:
      "a line for this key, or a @cert-authority line for the authority that signed it, in a known_hosts file that ssh reads",
    hint: "Compare the fingerprint with the host's own (ssh-keygen -lf on its console), then add the key to known_hosts, or the authority that signs the keys of your hosts",
  };
}

function refused(address: Address, log: SshLog): Failure {
  const { said, debug } = log;
  const tooMany = /Too many authentication failures/.test(said.join("\n"));
  const methods =
    lastOf(said, /Permission denied \(([^)]*)\)/) ?? lastOf(debug, /^Authentications that can continue: (.*)$/);
  const user = lastOf(debug, /^Authenticating to .* as '(.*)'$/) ?? address.user;
  return {
    what: `${address.address} refuses the login of user ${user}`,
    current: `offered ${offeredIn(log).join(", ") || "nothing that the host allows"}`,
    expected: `one of: ${methods?.split(",").join(", ") ?? "the host did not say"}`,
    hint: tooMany
      ? "Set IdentitiesOnly and specify the key for this host: the agent offers more keys than the host lets a client try"
      : `Try \`ssh -v ${address.asked?.name ?? address.address}\`: if ssh logs in without a prompt, so does furrow`,
  };
}

function onTheWay(address: Address, line: string): Failure {
  return {
    what: `a jump host on the way to ${address.address} refuses the login`,
    current: line,
    hint: "Provide the jump host's key in ssh_config or through the agent, or add the jump host to the inventory with its identityFile",
  };
}

/** The error for a link that was lost without being closed. */
export function lostLink(host: string, text: string): FurrowError {
  const { said } = readLog(text);
  const current = said.some((line) => line.startsWith("Timeout, server"))
    ? "the host does not answer keepalives"
    : said.at(-1);
  return new FurrowError("E_UNREACHABLE", {
    what: `the connection to ${host} was lost`,
    where: { host },
    current: current ?? "the host closed the connection",
    hint: "Check the network and whether the host is still up, then rerun",
  });
}
