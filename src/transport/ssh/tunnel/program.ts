import type { OpenableTunnel } from "../../../core/host/tunnel.ts";

/** The program that opens a tunnel: it copies its stdin to a port of the instance, and the port's bytes to stdout. */
export interface TunnelProgram {
  readonly program: "aws" | "gcloud";
  readonly args: readonly string[];
  /** The service that the program talks to, for messages. */
  readonly service: "Session Manager" | "IAP";
}

/**
 * The command for a tunnel to a port of its instance, without a shell. Sources:
 * https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-getting-started-enable-ssh-connections.html
 * and https://cloud.google.com/sdk/gcloud/reference/compute/start-iap-tunnel; `--listen-on-stdin` is what `gcloud
 * compute ssh --tunnel-through-iap` gives ssh as its ProxyCommand.
 */
export function tunnelProgram(tunnel: OpenableTunnel, port: number): TunnelProgram {
  if (tunnel.through === "sessionManager") {
    const { instance, region, profile } = tunnel;
    const args = [
      "ssm",
      "start-session",
      "--target",
      instance,
      "--document-name",
      "AWS-StartSSHSession",
      "--parameters",
      `portNumber=${port}`,
      ...(region === undefined ? [] : ["--region", region]),
      ...(profile === undefined ? [] : ["--profile", profile]),
    ];
    return { program: "aws", args, service: "Session Manager" };
  }
  const { instance, project, zone } = tunnel;
  const place = ["--project", project, "--zone", zone];
  const args = ["compute", "start-iap-tunnel", instance, String(port), "--listen-on-stdin", ...place, "--quiet"];
  return { program: "gcloud", args, service: "IAP" };
}
