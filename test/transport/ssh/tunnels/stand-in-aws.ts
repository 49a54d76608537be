/**
 * Stands in for the AWS CLI: accepts only the arguments that AWS documents for SSH over Session Manager, and starts
 * session-manager-plugin as the CLI does. FURROW_TEST_INSTANCES contains the port of each instance, or the name of a
 * failure.
 */
import { spawn } from "node:child_process";
import { failures, fail, instanceNamed, optionsIn } from "./stand-in.ts";

const [service, command, ...words] = process.argv.slice(2);
if (service !== "ssm" || command !== "start-session") fail("aws: error: argument command: Invalid choice", 252);
const options = optionsIn(words, ["--target", "--document-name", "--parameters", "--region", "--profile"]);
const { target = "", "document-name": document, parameters = "", profile, region } = options;
const [, port] = /^portNumber=(\d+)$/.exec(parameters) ?? fail("Error parsing parameter '--parameters'", 252);
if (document !== "AWS-StartSSHSession") fail("An error occurred (InvalidDocument)", 254);
if (profile === "unknown") fail(`The config profile (${profile}) could not be found`, 255);
const found = instanceNamed(target);
const aws: Readonly<Record<string, readonly [string, number]>> = {
  stopped: [
    `\nAn error occurred (TargetNotConnected) when calling the StartSession operation: ${target} is not connected.`,
    254,
  ],
  denied: [
    `\nAn error occurred (AccessDeniedException) when calling the StartSession operation: User: arn:aws:iam::123456789012:user/me is not authorized to perform: ssm:StartSession on resource: arn:aws:ec2:eu-central-1:123456789012:instance/${target} (${process.env["AWS_SECRET_ACCESS_KEY"]})`,
    254,
  ],
};
failures(found, aws);
// The CLI leaves Ctrl-C to the plugin.
process.on("SIGINT", () => undefined);
const session = JSON.stringify({ SessionId: "me-0a1b2c", StreamUrl: "wss://example.invalid", TokenValue: "token" });
const plugin = spawn(
  "session-manager-plugin",
  [
    session,
    region ?? "",
    "StartSession",
    profile ?? "",
    JSON.stringify({ Target: target, Port: port }),
    "https://example.invalid",
  ],
  { stdio: "inherit" },
);
plugin.once("error", () =>
  fail(
    "SessionManagerPlugin is not found. Please refer to SessionManager Documentation here: http://docs.aws.amazon.com/console/systems-manager/session-manager-plugin-not-found",
    255,
  ),
);
plugin.once("exit", (code) => process.exit(code ?? 255));
