/** The default image: the Debian project's Debian 12, which comes without an SSM agent. */
export const image = { owner: "136693071363", name: "debian-12-amd64-*" };

/** The vars that decide whether the first boot installs the SSM agent. */
interface AgentVars {
  readonly region?: string | undefined;
  readonly tunnel?: "sessionManager" | undefined;
  readonly installAgent?: boolean | undefined;
  readonly image: { readonly id: string } | { readonly owner: string; readonly name: string };
}

/**
 * User data that installs the SSM agent from AWS's Debian package; undefined if the image already contains the agent
 * (https://docs.aws.amazon.com/systems-manager/latest/userguide/agent-install-deb.html). In a subnet without a route to
 * the internet, only the region's own bucket can be reached, through a gateway endpoint for S3. cloud-init comes with
 * Python, whereas some images have neither curl nor wget.
 */
export function agentData({ region, tunnel, installAgent, image: chosen }: AgentVars): string | undefined {
  const isDefault = "owner" in chosen && chosen.owner === image.owner && chosen.name === image.name;
  if (tunnel === undefined || !(installAgent ?? isDefault)) return undefined;
  const china = region?.startsWith("cn-") === true ? ".cn" : "";
  const bucket =
    region === undefined
      ? "https://s3.amazonaws.com/ec2-downloads-windows/SSMAgent"
      : `https://s3.${region}.amazonaws.com${china}/amazon-ssm-${region}`;
  const package_ = "/run/amazon-ssm-agent.deb";
  const fetch = `import urllib.request; urllib.request.urlretrieve("${bucket}/latest/debian_amd64/amazon-ssm-agent.deb", "${package_}")`;
  return `#cloud-config
runcmd:
  - ["python3", "-c", ${JSON.stringify(fetch)}]
  - ["dpkg", "-i", "${package_}"]
  - ["systemctl", "enable", "--now", "amazon-ssm-agent"]
`;
}
