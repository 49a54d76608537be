import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { azureVirtualMachine } from "./azure-virtual-machine.ts";
import { obstacles } from "./obstacles.cases.ts";
import { address, card, disk, fresh, gone, machine, network, params, size, there } from "./facts.cases.ts";

const call = azureVirtualMachine(params);
const removal = azureVirtualMachine({ name: "lab", group: "lab", state: "absent" });
const stopped = azureVirtualMachine({ ...params, state: "stopped" });
const refused = { call, steps: [] };
const created = ["create the machine lab", "read the host keys of lab"];

/** Test cases for `azureVirtualMachine`: the state of the machine, and what the task does to it. */
export const cases: readonly Case[] = [
  ...obstacles,
  { title: "no machine", call, now: fresh, steps: created },
  {
    title: "no machine, but a stopped one must exist",
    call: stopped,
    now: fresh,
    steps: [...created, "stop the machine lab"],
  },
  {
    title: "no machine, and neither a public address nor host keys are wanted",
    call: azureVirtualMachine({ ...params, publicAddress: false, hostKeys: false, zone: "1", dataDisks: [] }),
    now: { ...fresh, disks: [] },
    steps: ["create the machine lab"],
  },
  { title: "up to date, with an extra tag and an extra disk", call, now: there, steps: [] },
  {
    title: "the machine's creation failed",
    call,
    now: { ...fresh, machine: { ...machine, status: "failed", disks: {}, hostKeys: [] }, card },
    steps: created,
  },
  ...(["image", "publicKeys"] as const).map((part) => ({
    ...refused,
    title: `a failed creation, and a different value of ${part}`,
    now: {
      ...fresh,
      machine: { ...machine, status: "failed", disks: {}, [part]: part === "image" ? "a:b:c:1" : ["x"] },
    },
    refusal: "only-new",
  })),
  {
    title: "the last change failed, and Azure does not report whether the machine is running",
    call,
    now: { ...there, machine: { ...machine, status: "unknown" } },
    steps: ["start the machine lab"],
  },
  {
    title: "still being created",
    call,
    now: { ...there, machine: { ...machine, status: "creating", hostKeys: [] } },
    steps: ["wait until the machine lab is running", "read the host keys of lab"],
  },
  {
    title: "deallocated, too small, and missing a tag, its disk and its address",
    call,
    now: {
      ...there,
      sizes: [size, size],
      attached: [disk, disk],
      machine: {
        ...machine,
        status: "deallocated",
        size: "Standard_D8s_v5",
        tags: { furrow: "furrow" },
        disks: { other: { lun: 0, deleteOption: "Detach" } },
        publicAddress: false,
        address: "",
      },
    },
    steps: [
      "tag the machine lab",
      "attach data to the machine lab",
      "resize the machine lab to Standard_D16s_v5",
      "give the machine lab a public address",
      "start the machine lab",
    ],
  },
  { title: "running, but must be stopped", call: stopped, now: there, steps: ["stop the machine lab"] },
  {
    title: "stopped from within the guest, but must be deallocated",
    call: stopped,
    now: { ...there, machine: { ...machine, status: "stopped" } },
    steps: ["stop the machine lab"],
  },
  {
    ...refused,
    title: "running, with a different size",
    now: { ...there, sizes: [size, size], attached: [disk, disk], machine: { ...machine, size: "Standard_D8s_v5" } },
    refusal: "needs-stop",
  },
  {
    ...refused,
    title: "deallocated, and the location does not offer the wanted size",
    now: {
      ...there,
      sizes: [absent, size],
      attached: [disk, disk],
      machine: { ...machine, status: "deallocated", size: "Standard_D8s_v5" },
    },
    refusal: "no-size",
  },
  ...[
    {
      title: "is for a different processor",
      sizes: [{ ...size, architecture: "Arm64" }, size],
      attached: [disk, disk],
    },
    {
      title: "is for a different processor than the current size, which is no longer offered",
      sizes: [{ ...size, architecture: "Arm64" }, absent],
      attached: [disk, disk],
    },
    { title: "supports fewer disks", sizes: [{ ...size, mostDataDisks: 1 }, size], attached: [disk, disk] },
    {
      title: "does not support premium disks",
      sizes: [{ ...size, premiumDisks: false }, size],
      attached: [disk, disk],
    },
    {
      title: "does not support premium disks, and one disk is unknown",
      sizes: [{ ...size, premiumDisks: false }, size],
      attached: [absent, { ...disk, type: "StandardSSD_LRS" }],
      disks: [{ ...disk, type: "StandardSSD_LRS" }],
    },
  ].map(({ title, ...parts }) => ({
    ...refused,
    title: `deallocated, and the wanted size ${title}`,
    now: { ...there, ...parts, machine: { ...machine, status: "deallocated", size: "Standard_D8s_v5" } },
    refusal: "no-size",
  })),
  {
    ...refused,
    title: "one more disk than the machine's size supports",
    now: {
      ...there,
      sizes: [{ ...size, mostDataDisks: 1 }],
      machine: { ...machine, disks: { other: { lun: 0, deleteOption: "Detach" } } },
    },
    refusal: "no-size",
  },
  ...(["location", "zone", "security", "login", "network"] as const).map((part) => ({
    ...refused,
    title: `a different ${part}`,
    now: { ...there, machine: { ...machine, [part]: "x/x" } },
    refusal: "not-in-place",
  })),
  {
    ...refused,
    title: "with a different first interface",
    now: { ...there, machine: { ...machine, cards: ["web123", "lab-nic"] } },
    refusal: "other-interface",
  },
  {
    ...refused,
    title: "not created by furrow",
    now: { ...there, machine: { ...machine, tags: {} } },
    refusal: "foreign",
  },
  { ...refused, title: "a foreign interface", now: { ...fresh, card: { ...card, tags: {} } }, refusal: "foreign" },
  {
    ...refused,
    title: "a foreign network",
    now: { ...fresh, networks: [{ ...network, tags: {} }] },
    refusal: "foreign",
  },
  { ...refused, title: "an unknown disk", now: { ...fresh, disks: [absent] }, refusal: "no-disk" },
  { ...refused, title: "a foreign disk", now: { ...fresh, disks: [{ ...disk, tags: {} }] }, refusal: "foreign" },
  {
    ...refused,
    title: "a disk attached to another machine",
    now: { ...fresh, disks: [{ ...disk, machine: "db" }] },
    refusal: "disk-in-use",
  },
  {
    ...refused,
    title: "a disk in a zone",
    now: { ...fresh, disks: [{ ...disk, zone: "1" }] },
    refusal: "not-in-place",
  },
  {
    title: "a machine to delete",
    call: removal,
    now: gone,
    steps: ["delete the machine lab with its first disk lab-os, lab-nic and lab-ip; keep data, other"],
  },
  {
    title: "an interface and an address that Azure failed to create completely",
    call,
    now: { ...there, card: { ...card, state: "Failed" }, address: { ...address, state: "Failed" } },
    steps: ["repair lab-nic and lab-ip, which Azure has left unfinished"],
  },
  {
    title: "a disk that Azure would delete with the machine",
    call,
    now: { ...there, machine: { ...machine, disks: { data: { lun: 3, deleteOption: "Delete" } } } },
    steps: ["keep data when the machine lab is deleted"],
  },
  {
    title: "a machine to delete, with a second interface",
    call: removal,
    now: { ...gone, machine: { ...machine, disks: {}, cards: ["lab-nic", "db-nic"] } },
    steps: ["delete the machine lab with its first disk lab-os, lab-nic and lab-ip; keep db-nic"],
  },
  {
    title: "leftover parts of a deleted machine",
    call: removal,
    now: { ...gone, machine: absent, osDisks: [absent] },
    steps: ["delete what remains of the machine lab: lab-os, lab-nic and lab-ip"],
  },
  {
    title: "a first disk left over from an unfinished deletion",
    call: removal,
    now: { ...gone, machine: absent, card: absent, address: absent, osDisks: [disk] },
    steps: ["delete what remains of the machine lab: lab-os, lab-nic and lab-ip"],
  },
  {
    title: "a foreign disk with the name of the first disk, and no machine",
    call: removal,
    now: { ...gone, machine: absent, card: absent, address: absent, osDisks: [{ ...disk, tags: {} }] },
    steps: [],
  },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { ...gone, machine: { ...machine, tags: {} } },
    steps: [],
    refusal: "foreign",
  },
  {
    title: "gone",
    call: removal,
    now: { ...gone, machine: absent, card: absent, address: absent, osDisks: [absent] },
    steps: [],
  },
];
