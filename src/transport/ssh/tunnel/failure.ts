import { AbortError } from "p-retry";
import { FurrowError, type ErrorCode } from "../../../core/errors.ts";
import type { Address } from "../../../core/host/transport.ts";
import type { OpenableTunnel } from "../../../core/host/tunnel.ts";
import { noProgram, type TunnelEnd } from "./process.ts";
import type { TunnelProgram } from "./program.ts";

/** The meaning of a program's message. */
interface Meaning {
  readonly pattern: RegExp;
  readonly what: string;
  readonly hint: string;
  /** Default: E_UNREACHABLE. */
  readonly code?: ErrorCode;
  /** True if another attempt may help. */
  readonly again?: true;
  /** True if the reason may be that the cloud does not know a new instance yet. */
  readonly isMissing?: true;
}

/** An immediate retry does not help, but a later one may: the instance may be too new for the cloud to know it. */
export class MissingInstance extends AbortError {}

/**
 * The messages of `aws` and session-manager-plugin
 * (https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-troubleshooting.html).
 */
function awsMeanings(instance: string, port: number, { region, profile }: Place): readonly Meaning[] {
  const login = `aws sso login${profile === undefined ? "" : ` --profile ${profile}`}`;
  return [
    {
      pattern: /SessionManagerPlugin is not found/,
      what: "there is no session-manager-plugin on this machine",
      hint: "Install AWS's Session Manager plugin; `session-manager-plugin --version` shows whether it works",
    },
    {
      pattern: /\(TargetNotConnected\)/,
      what: `Session Manager has no connection to an agent on ${instance}`,
      hint: `Check that the instance is running${region === undefined ? "" : ` in ${region}`}, that its SSM agent is running and can reach the Systems Manager endpoints, and that its instance profile has the policy AmazonSSMManagedInstanceCore`,
      again: true,
    },
    {
      pattern: /\((?:AccessDenied(?:Exception)?|UnauthorizedOperation)\)/,
      what: `AWS does not allow a session to ${instance}`,
      hint: "Allow ssm:StartSession on the instance and on the document AWS-StartSSHSession",
      code: "E_AUTH",
    },
    {
      pattern:
        /Unable to locate credentials|SSO (?:session|Token)|\((?:ExpiredToken(?:Exception)?|UnrecognizedClientException|InvalidClientTokenId|InvalidSignatureException)\)|config profile .* could not be found/i,
      what: "the aws program has no valid credentials",
      hint: `Log in, for example with \`${login}\`; \`aws sts get-caller-identity\` shows whether it works`,
      code: "E_AUTH",
    },
    {
      pattern: /You must specify a region/,
      what: "the aws program does not know the instance's region",
      hint: "Set region in tunnel.sessionManager, or set AWS_REGION",
    },
    {
      pattern: /Connection to destination port failed/,
      what: `the SSM agent on ${instance} cannot connect to port ${port}`,
      hint: "Check that sshd runs on the instance and listens on this port",
      again: true,
    },
  ];
}

/** The messages of `gcloud` (https://cloud.google.com/iap/docs/faq, error codes). */
function gcloudMeanings(instance: string, port: number, { project, zone }: Place): readonly Meaning[] {
  const role = "roles/iap.tunnelResourceAccessor";
  return [
    {
      pattern: /\[4003\b|\[4010\b/,
      what: `IAP cannot connect to port ${port} of ${instance}`,
      hint: `Check that the instance is running, that sshd listens on this port, and that the firewall allows it from 35.235.240.0/20`,
      again: true,
    },
    {
      pattern: /\[4033\b/,
      what: `IAP does not allow a tunnel to ${instance}`,
      hint: `Check that the instance is running, and that your account has the role ${role} on it`,
      code: "E_AUTH",
    },
    {
      pattern: /\[4047\b|was not found|could not be found/i,
      what: `there is no running instance ${instance} in ${zone} of ${project}`,
      hint: "Check the instance's name, zone and project, and that the instance is running",
      isMissing: true,
    },
    {
      pattern: /active account|valid credentials|Reauthentication|refreshing (?:your )?(?:current )?auth/i,
      what: "the gcloud program has no valid credentials",
      hint: "Log in with `gcloud auth login`, or activate a service account",
      code: "E_AUTH",
    },
    {
      pattern: /Required '[\w.]+' permission|PERMISSION_DENIED|does not have permission/i,
      what: `Google Cloud does not allow a tunnel to ${instance}`,
      hint: `Grant your account compute.instances.get in ${project}, and the role ${role}`,
      code: "E_AUTH",
    },
  ];
}

interface Place {
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  readonly project?: string | undefined;
  readonly zone?: string | undefined;
}

/**
 * The error for a program that ended before it passed on the host's first byte: E_AUTH or E_UNREACHABLE with the
 * program's own last message. If another attempt cannot help, the error is wrapped in an AbortError.
 */
export function noTunnel(address: Address, tunnel: OpenableTunnel, program: TunnelProgram, end: TunnelEnd): Error {
  const where = { host: address.name };
  if (end.said.includes(noProgram)) {
    const package_ = program.program === "aws" ? "the AWS CLI and its Session Manager plugin" : "the Google Cloud CLI";
    return new AbortError(
      new FurrowError("E_UNREACHABLE", {
        what: `there is no ${program.program} program on this machine`,
        where,
        expected: `${program.program}, which opens the tunnel to ${tunnel.instance}`,
        hint: `Install ${package_}, or set tunnel: "none" and an address that this machine can reach`,
      }),
    );
  }
  const meanings = (program.program === "aws" ? awsMeanings : gcloudMeanings)(tunnel.instance, address.port, tunnel);
  const found = meanings.find(({ pattern }) => pattern.test(end.said));
  const {
    code = "E_UNREACHABLE",
    again,
    isMissing,
    what,
    hint,
  } = found ?? {
    what: `${program.service} did not open a tunnel to ${tunnel.instance}`,
    hint: `Try the command yourself: ${program.program} ${program.args.join(" ")}`,
    again: true,
  };
  const current = lastMessage(end, found?.pattern);
  const error = new FurrowError(code, { what, where, current, hint });
  if (again === true) return error;
  return isMissing === true ? new MissingInstance(error) : new AbortError(error);
}

/** The error for a tunnel whose program exited while it was in use. */
export function brokenTunnel(
  address: Address,
  tunnel: OpenableTunnel,
  { program, service }: TunnelProgram,
  end: TunnelEnd,
): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `the connection to ${address.name} was lost: the tunnel of ${service} to ${tunnel.instance} was closed`,
    where: { host: address.name },
    current: lastMessage(end),
    hint: `Check the network, whether the instance is still running, and whether the login of ${program} is still valid, then rerun`,
  });
}

/** Lines that a program always prints. */
const usual = /^(?:Starting session with SessionId|Exiting session with sessionId|Testing if tunnel|WARNING:)/;

/** Environment variables whose values must not appear in an error. */
const secretVariables = [
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_ACCESS_KEY_ID",
  "CLOUDSDK_AUTH_ACCESS_TOKEN",
] as const;

/**
 * The line that gives the reason why a program exited: the line that matches `pattern`, otherwise the last line. The
 * returned line is shortened and contains no secrets.
 */
function lastMessage({ code, said }: TunnelEnd, pattern?: RegExp): string {
  const lines = said.split(/[\r\n]+/).map((line) => line.trim());
  const own = lines.filter((line) => line !== "" && !usual.test(line));
  const told = own.find((line) => pattern?.test(line)) ?? own.at(-1);
  if (told === undefined) return code === null ? "the program was killed" : `the program exited with code ${code}`;
  const secrets = secretVariables.flatMap((name) => process.env[name] ?? []).filter((value) => value.length > 3);
  return secrets.reduce((text, secret) => text.replaceAll(secret, "…"), told).slice(0, 500);
}
