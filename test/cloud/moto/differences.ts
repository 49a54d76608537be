/** A line in our own fake's answers that moto does not give, and why ours is right. */
export interface Difference {
  /** `ACTION: PATH=VALUE`. */
  readonly line: RegExp;
  /** What moto does instead, and which page shows who is right. */
  readonly why: string;
}

const api = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference";

/** All known differences to moto 5.1.1. */
export const differences: readonly Difference[] = [
  {
    line: /^DescribeInstanceTypes: instanceTypeSet\.item\.bareMetal=false$/,
    why: `moto writes Python's False; a boolean of the API is in small letters: ${api}/API_InstanceTypeInfo.html`,
  },
  {
    line: /^DescribeKeyPairs: keySet\.item\.(keyType|publicKey)=/,
    why: `moto gives neither, not even for IncludePublicKey: ${api}/API_KeyPairInfo.html`,
  },
  {
    line: /: .*instancesSet\.item\.blockDeviceMapping\.item\.ebs\.status=attached$/,
    why: `moto gives the state of the volume, in-use; that of its attachment is meant: ${api}/API_EbsInstanceBlockDevice.html`,
  },
  {
    line: /: .*instancesSet\.item\.clientToken=/,
    why: `moto gives the same one for every machine, and does not heed it: ${api}/API_Instance.html`,
  },
  {
    line: /: .*instancesSet\.item\.cpuOptions\.(coreCount|threadsPerCore|nestedVirtualization)=/,
    why: `moto has no options of processors: ${api}/API_CpuOptions.html`,
  },
  {
    line: /^DescribeVolumes: volumeSet\.item\.attachmentSet\.item\.deleteOnTermination=true$/,
    why: `moto says false of every volume here, and what was asked for at the machine itself: ${api}/API_VolumeAttachment.html`,
  },
  {
    line: /^DescribeVolumes: volumeSet\.item\.throughput=125$/,
    why: `moto has no throughput; a gp3 volume has 125 MiB/s at least: ${api}/API_Volume.html`,
  },
  {
    line: /^(CreateSecurityGroup|RunInstances|AllocateAddress|CreateVolume): (Errors\.Error\.Message=Request would have succeeded, but DryRun flag is set\.|RequestID=r)$/,
    why: `moto words the answer to a dry run otherwise, and names its request as another error does: ${api}/API_RunInstances.html`,
  },
];
