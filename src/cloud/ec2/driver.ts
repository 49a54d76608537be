import type { Driver } from "../../core/host/driver.ts";
import type { Ec2Act, Ec2Question } from "../../facts/cloud/ec2/index.ts";
import { address, allocateAddress, associateAddress, disassociateAddress, releaseAddress } from "./network/address.ts";
import { alterInstance } from "./alter.ts";
import { type Ec2, ec2In } from "./client.ts";
import { hostManagement } from "./region/host-management.ts";
import { image } from "./region/image.ts";
import { holder, instance, terminationProtection } from "./instance.ts";
import { deleteKeyPair, importKeyPair, keyPair } from "./key-pair.ts";
import { launch } from "./launch.ts";
import { keepDisks, readHostKeys, setTags, start, stop, terminate } from "./lifecycle.ts";
import { machineType } from "./region/machine-type.ts";
import { grantsToCall, grantsToRead } from "./grants.ts";
import { rehearse } from "./rehearsal.ts";
import { createSecurityGroup, deleteSecurityGroup, securityGroup, setRules } from "./network/security-group.ts";
import { attachVolume, createVolume, deleteVolume, detachVolume, resizeDisk, volume } from "./volume.ts";
import {
  attachInternetGateway,
  createInternetGateway,
  deleteInternetGateway,
  internetGateway,
  routeToInternet,
} from "./network/gateway.ts";
import { createSubnet, deleteSubnet, setPublicAddresses, subnet } from "./network/subnet.ts";
import { wayOut } from "./network/way-out.ts";
import { createVpc, defaultVpc, deleteVpc, vpc } from "./network/vpc.ts";
import { addressQuota, processorQuota, vpcQuota } from "./quotas/quotas.ts";
import { typeZones, zones } from "./region/zones.ts";

/**
 * Queries and changes Amazon EC2 with the controller's own credentials. A read never makes changes. An action can
 * safely be repeated, whether it was completed or a killed run left it unfinished.
 */
export const ec2Driver: Driver = {
  name: "ec2",
  read: async (request, signal) => {
    const question = request as unknown as Ec2Question;
    return answer(await ec2In(question.region, signal), question);
  },
  call: async (request, signal, say) => {
    const act = request as unknown as Ec2Act;
    await perform(await ec2In(act.region, signal, say), act);
    return undefined;
  },
  rehearse: async (request, signal) => {
    const act = request as unknown as Ec2Act;
    return rehearse(await ec2In(act.region, signal), act, perform);
  },
  permissions: (request, use) =>
    use === "read" ? grantsToRead(request as unknown as Ec2Question) : grantsToCall(request as unknown as Ec2Act),
};

function answer(ec2: Ec2, question: Ec2Question): Promise<unknown> {
  switch (question.ask) {
    case "keyPair":
      return keyPair(ec2, question.name);
    case "securityGroup":
      return securityGroup(ec2, question.name, question.vpc);
    case "image":
      return image(ec2, question.image);
    case "machineType":
      return machineType(ec2, question.type, question.nested);
    case "instance":
      return instance(ec2, question.name);
    case "holder":
      return holder(ec2, question.id);
    case "terminationProtection":
      return terminationProtection(ec2, question.name);
    case "volume":
      return volume(ec2, question.name);
    case "address":
      return address(ec2, question.name);
    case "zones":
      return zones(ec2);
    case "typeZones":
      return typeZones(ec2, question.type);
    case "vpc":
      return vpc(ec2, question.name);
    case "subnet":
      return subnet(ec2, question.name);
    case "wayOut":
      return wayOut(ec2, question.name);
    case "hostManagement":
      return hostManagement(ec2);
    case "internetGateway":
      return internetGateway(ec2, question.name);
    case "defaultVpc":
      return defaultVpc(ec2);
    case "addressQuota":
      return addressQuota(ec2);
    case "vpcQuota":
      return vpcQuota(ec2);
    case "processorQuota":
      return processorQuota(ec2, question.type, question.spot);
  }
}

function perform(ec2: Ec2, act: Ec2Act): Promise<void> {
  switch (act.act) {
    case "importKeyPair":
      return importKeyPair(ec2, act);
    case "deleteKeyPair":
      return deleteKeyPair(ec2, act);
    case "createSecurityGroup":
      return createSecurityGroup(ec2, act);
    case "setRules":
      return setRules(ec2, act);
    case "deleteSecurityGroup":
      return deleteSecurityGroup(ec2, act);
    case "setTags":
      return setTags(ec2, act.id, act.tags);
    case "launch":
      return launch(ec2, act);
    case "start":
      return start(ec2, act);
    case "stop":
      return stop(ec2, act);
    case "terminate":
      return terminate(ec2, act);
    case "keepDisks":
      return keepDisks(ec2, act);
    case "readHostKeys":
      return readHostKeys(ec2, act);
    case "alterInstance":
      return alterInstance(ec2, act);
    case "resizeDisk":
      return resizeDisk(ec2, act);
    case "createVolume":
      return createVolume(ec2, act);
    case "attachVolume":
      return attachVolume(ec2, act);
    case "detachVolume":
      return detachVolume(ec2, act);
    case "deleteVolume":
      return deleteVolume(ec2, act);
    case "allocateAddress":
      return allocateAddress(ec2, act);
    case "associateAddress":
      return associateAddress(ec2, act);
    case "disassociateAddress":
      return disassociateAddress(ec2, act);
    case "releaseAddress":
      return releaseAddress(ec2, act);
    case "createVpc":
      return createVpc(ec2, act);
    case "deleteVpc":
      return deleteVpc(ec2, act);
    case "createSubnet":
      return createSubnet(ec2, act);
    case "setPublicAddresses":
      return setPublicAddresses(ec2, act);
    case "deleteSubnet":
      return deleteSubnet(ec2, act);
    case "createInternetGateway":
      return createInternetGateway(ec2, act);
    case "attachInternetGateway":
      return attachInternetGateway(ec2, act);
    case "routeToInternet":
      return routeToInternet(ec2, act);
    case "deleteInternetGateway":
      return deleteInternetGateway(ec2, act);
  }
}
