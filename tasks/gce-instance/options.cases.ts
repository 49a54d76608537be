import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { gceInstance } from "./gce-instance.ts";
import { call, params, place, removal, diskType, custom, none, subnetwork, off, fresh, is } from "./facts.cases.ts";

const inSubnetwork = gceInstance({ ...params, subnetwork: "lab" });
const account = "web@project-1.iam.gserviceaccount.com";
const scopes = ["https://www.googleapis.com/auth/cloud-platform"];
const acting = gceInstance({ ...params, serviceAccount: { email: account } });
const isProtected = gceInstance({ ...params, deletionProtection: true });
const named = gceInstance({ ...params, hostname: "web-1.example.org" });

/** Test cases about the location, the boot disk and the options of an instance. */
export const optionCases: readonly Case[] = [
  {
    title: "no instance, and a subnetwork is given",
    call: inSubnetwork,
    now: { ...fresh, networks: [custom], subnetworks: [subnetwork] },
    steps: ["create instance lab"],
  },
  { title: "in its subnetwork", call: inSubnetwork, now: is({}), steps: [] },
  {
    title: "in another subnetwork",
    call: inSubnetwork,
    now: is({ subnetwork: "other" }),
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "no subnetwork",
    call: inSubnetwork,
    now: { ...fresh, networks: [custom], subnetworks: [absent] },
    steps: [],
    refusal: "no-subnetwork",
  },
  {
    title: "a subnetwork of another network",
    call: inSubnetwork,
    now: { ...fresh, subnetworks: [{ ...subnetwork, network: "default" }] },
    steps: [],
    refusal: "other-network",
  },
  {
    title: "a custom network without a subnetwork in the region",
    call,
    now: { ...fresh, networks: [custom], ranges: [{ "us-central1/lab": "10.20.0.0/20" }] },
    steps: [],
    refusal: "no-subnetwork",
  },
  {
    title: "a custom network, but no subnetwork is given",
    call,
    now: { ...fresh, networks: [custom], ranges: [{ "europe-west3/lab": "10.20.0.0/20" }] },
    steps: [],
    refusal: "needs-subnetwork",
  },
  {
    title: "a type of boot disk that the zone does not offer",
    call,
    now: { ...fresh, diskTypes: [absent] },
    steps: [],
    refusal: "no-disk-type",
  },
  {
    title: "a boot disk that is larger than its type accepts",
    call,
    now: { ...fresh, diskTypes: [{ ...diskType, validSizes: "10GB-40GB" }] },
    steps: [],
    refusal: "disk-size",
  },
  {
    title: "a boot disk that is smaller than its image",
    call,
    now: { ...fresh, images: [{ link: "projects/suse-cloud/global/images/sles-15-sp6", sizeGb: 100 }] },
    steps: [],
    refusal: "disk-size",
  },
  {
    title: "an external address, but none is wanted",
    call: gceInstance({ ...params, address: "none" }),
    now: is({}),
    steps: ["remove the external address from instance lab"],
  },
  { title: "no instance, and a service account is given", call: acting, now: fresh, steps: ["create instance lab"] },
  { title: "with its service account", call: acting, now: is({ serviceAccount: account, scopes }), steps: [] },
  { title: "running without its service account", call: acting, now: is({}), steps: [], refusal: "needs-stop" },
  {
    title: "stopped without its service account",
    call: acting,
    now: { ...none, instance: off },
    steps: [`set service account ${account} of instance lab`, "start instance lab"],
  },
  {
    title: "stopped, with different scopes",
    call: acting,
    now: { ...none, instance: { ...off, serviceAccount: account, scopes: [] } },
    steps: [`set service account ${account} of instance lab`, "start instance lab"],
  },
  { title: "no instance, and a host name is given", call: named, now: fresh, steps: ["create instance lab"] },
  { title: "with a different host name", call: named, now: is({}), steps: [], refusal: "not-in-place" },
  {
    title: "not protected against deletion",
    call: isProtected,
    now: is({}),
    steps: ["turn on the deletion protection of instance lab"],
  },
  { title: "protected against deletion", call: isProtected, now: is({ deletionProtection: true }), steps: [] },
  {
    title: "protected, but deletion is requested",
    call: removal,
    now: { ...is({ deletionProtection: true }), disks: [], logins: [] },
    steps: [],
    refusal: "protected",
  },
  {
    title: "protected, and may be deleted",
    call: gceInstance({ ...place, state: "absent", deletionProtection: false }),
    now: { ...is({ deletionProtection: true }), disks: [], logins: [] },
    steps: ["turn off the deletion protection of instance lab", "delete instance lab with its boot disk"],
  },
];
