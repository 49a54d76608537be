import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { azureVirtualMachine } from "./azure-virtual-machine.ts";
import { disk, fresh, image, network, params, size } from "./facts.cases.ts";

const call = azureVirtualMachine(params);
const inZone = azureVirtualMachine({ ...params, zone: "2", dataDisks: [] });
const trusted = azureVirtualMachine({ ...params, nestedVirtualization: false, securityType: "trustedLaunch" });
const other = azureVirtualMachine({ ...params, size: "Standard_D16s_v6" });
const sized = (more: Partial<typeof size>) => ({ ...fresh, sizes: [{ ...size, ...more }] });

const obstacle = (title: string, refusal: string, now: Case["now"], by: Case["call"] = call): Case => ({
  title,
  call: by,
  now,
  steps: [],
  refusal,
});

/** Test cases for obstacles to creating a machine. */
export const obstacles: readonly Case[] = [
  obstacle("no resource group", "no-group", {
    ...fresh,
    group: absent,
    sizes: [],
    images: [],
    features: [],
    networks: [],
    disks: [],
    osDisks: [],
  }),
  obstacle("a foreign disk with the name of the machine's first disk", "no-first-disk", {
    ...fresh,
    osDisks: [{ ...disk, tags: {} }],
  }),
  obstacle("the first disk left by an unfinished deletion", "no-first-disk", { ...fresh, osDisks: [disk] }),
  obstacle("no network", "no-network", { ...fresh, networks: [absent] }),
  obstacle("a network without its subnet", "no-network", { ...fresh, networks: [{ ...network, subnets: {} }] }),
  obstacle("an unknown size", "no-size", { ...fresh, sizes: [absent] }),
  obstacle(
    "a size that the subscription is not allowed to use",
    "no-size",
    sized({ restricted: "NotAvailableForSubscription" }),
  ),
  obstacle("a zone that does not offer the size", "no-size", { ...sized({ zones: ["1"] }), disks: [] }, inZone),
  obstacle(
    "a zone in which the size is restricted",
    "no-size",
    { ...sized({ restrictedZones: ["2"] }), disks: [] },
    inZone,
  ),
  obstacle("a size without a SCSI controller", "no-size", sized({ scsi: false })),
  obstacle("a size that supports fewer disks", "no-size", sized({ mostDataDisks: 0 })),
  obstacle("a size that does not support premium disks", "no-size", sized({ premiumDisks: false })),
  obstacle(
    "a size that does not support premium disks, and a premium data disk",
    "no-size",
    sized({ premiumDisks: false }),
    azureVirtualMachine({ ...params, osDiskType: "StandardSSD_LRS" }),
  ),
  obstacle("a size without Trusted Launch", "no-size", { ...sized({ trustedLaunch: false }), features: [] }, trusted),
  obstacle("a size that might not support nested virtualization", "no-nested-virtualization", fresh, other),
  obstacle("an unknown image", "no-image", { ...fresh, images: [absent] }),
  obstacle("an image with a purchase plan", "no-image", { ...fresh, images: [{ ...image, plan: true }] }),
  obstacle("an image for a different processor", "no-image", {
    ...fresh,
    images: [{ ...image, architecture: "Arm64" }],
  }),
  obstacle("an image of a generation that the size does not support", "no-image", sized({ generations: ["V1"] })),
  obstacle(
    "Trusted Launch with a first-generation image",
    "no-image",
    { ...fresh, features: [], images: [{ ...image, generation: "V1" }] },
    trusted,
  ),
  obstacle("a subscription without the security type Standard", "no-standard-security", {
    ...fresh,
    features: [{ state: "NotRegistered" }],
  }),
  obstacle("a subscription that does not know the feature", "no-standard-security", { ...fresh, features: [absent] }),
];
