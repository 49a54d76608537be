/** A line that only our own fake returns, and the reason why the line is correct. */
export interface Difference {
  /** Matches a line of the form `ACTION: PATH=VALUE`. */
  readonly line: RegExp;
  /** How moto behaves differently, and a page that shows that our fake is correct. */
  readonly why: string;
}

const api = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference";

/** All known differences from moto 5.1.1. */
export const differences: readonly Difference[] = [
  {
    line: /^DescribeInstanceTypes: instanceTypeSet\.item\.bareMetal=false$/,
    why: `moto writes Python's False; the API writes booleans in lower case: ${api}/API_InstanceTypeInfo.html`,
  },
  {
    line: /^DescribeKeyPairs: keySet\.item\.(keyType|publicKey)=/,
    why: `moto returns neither, not even for IncludePublicKey: ${api}/API_KeyPairInfo.html`,
  },
  {
    line: /: .*instancesSet\.item\.blockDeviceMapping\.item\.ebs\.status=attached$/,
    why: `moto returns the state of the volume, in-use, instead of the attachment's state: ${api}/API_EbsInstanceBlockDevice.html`,
  },
  {
    line: /: .*instancesSet\.item\.metadataOptions\.(httpPutResponseHopLimit|httpTokens|state)=/,
    why: `moto has no metadata options: ${api}/API_InstanceMetadataOptionsResponse.html`,
  },
  {
    line: /^DescribeInstanceAttribute: disableApiTermination\.value=false$/,
    why: `moto writes Python's False; the API writes booleans in lower case: ${api}/API_DescribeInstanceAttribute.html`,
  },
  {
    line: /: .*instancesSet\.item\.clientToken=/,
    why: `moto returns the same value for every machine, and ignores it: ${api}/API_Instance.html`,
  },
  {
    line: /: .*instancesSet\.item\.cpuOptions\.(coreCount|threadsPerCore|nestedVirtualization)=/,
    why: `moto has no CPU options: ${api}/API_CpuOptions.html`,
  },
  {
    line: /^DescribeVolumes: volumeSet\.item\.attachmentSet\.item\.deleteOnTermination=true$/,
    why: `moto says false for every volume here, and the requested value in the machine's own list: ${api}/API_VolumeAttachment.html`,
  },
  {
    line: /^DescribeVolumes: volumeSet\.item\.throughput=125$/,
    why: `moto has no throughput; a gp3 volume has at least 125 MiB/s: ${api}/API_Volume.html`,
  },
  {
    line: /^\w+: (Errors\.Error\.Message=Request would have succeeded, but DryRun flag is set\.|RequestID=r)$/,
    why: `moto words the answer to a dry run differently, and names the request's id as in another kind of error: ${api}/API_RunInstances.html`,
  },
];

/**
 * Calls that moto performs even if DryRun is set; EC2 does not:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpc.html. AssociateAddress is included because moto
 * looks up the instance first, and a dry run names a placeholder if the machine does not exist yet; our fake's tests
 * cover both responses.
 */
export const ignoreDryRun: ReadonlySet<string> = new Set([
  "CreateVpc",
  "DeleteVpc",
  "CreateSubnet",
  "ModifySubnetAttribute",
  "DeleteSubnet",
  "CreateRoute",
  "DeleteRoute",
  "AssociateAddress",
]);
