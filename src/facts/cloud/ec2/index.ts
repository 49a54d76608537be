export { type Ec2AddressState, ec2AddressState } from "./address.ts";
export { ec2Image, type Ec2Image, ec2MachineType, type Ec2MachineType, ec2TypeZones } from "./image.ts";
export {
  type Ec2Disk,
  ec2Holder,
  type Ec2Holder,
  type Ec2InstanceState,
  ec2InstanceState,
  type Ec2TerminationProtection,
  ec2TerminationProtection,
} from "./instance.ts";
export { type Ec2KeyPairState, ec2KeyPairState } from "./key-pair.ts";
export {
  type Ec2Act,
  ec2Call,
  type Ec2DiskSize,
  type Ec2ImageChoice,
  type Ec2Launch,
  type Ec2LaunchDisk,
  type Ec2Marks,
  type Ec2Place,
  type Ec2Question,
  type SeenId,
} from "./question.ts";
export {
  ec2DefaultVpc,
  type Ec2DefaultVpc,
  ec2InternetGatewayState,
  type Ec2InternetGatewayState,
  ec2SubnetState,
  type Ec2SubnetState,
  ec2VpcState,
  type Ec2VpcState,
} from "./network.ts";
export { ec2AddressQuota, ec2ProcessorQuota, type Ec2Quota, ec2VpcQuota } from "./quota.ts";
export { type Ec2SecurityGroupState, ec2SecurityGroupState } from "./security-group.ts";
export { type Ec2VolumeState, ec2VolumeState } from "./volume.ts";
export { ec2HostManagement, type Ec2HostManagement, type Ec2Route, ec2WayOut, type Ec2WayOut } from "./way-out.ts";
export { ec2Zones } from "./zones.ts";
