import { absent } from "../../src/authoring.ts";
import { freshIndex } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { installation } from "./installation.ts";

const manager = { name: "apt" };
const missing = { present: false, version: absent, complete: true, held: false, manual: true, providedBy: [] };
const installed = { ...missing, present: true, version: "1.0" };
const offer = { candidate: "2.0", versions: ["2.0", "1.0"], providers: [] };
const none = { candidate: absent, versions: [], providers: [] };
const plan = { installs: ["nginx=2.0"], upgrades: [], downgrades: [], removes: [], reason: absent, clash: false };
const found = { manager, index: freshIndex, offers: [offer], dependents: [], plan };
const right = { manager, offers: [], dependents: [], packages: [installed] };
const nginx = installation({ name: "nginx" });
const pinned = installation({ name: "nginx", version: "2.0" });
const removal = installation({ name: "nginx", state: "absent" });
const gone = { manager, offers: [], plan: { ...plan, installs: [], removes: ["nginx"] } };

/**
 * Test cases for `package`: each gives the state of a host and what the task does in that state. For `latest`, the
 * composite has already refreshed the index.
 */
export const cases: readonly Case[] = [
  { title: "not installed", call: nginx, now: { ...found, packages: [missing] }, steps: ["install nginx with apt"] },
  { title: "already up to date", call: nginx, now: right, steps: [] },
  {
    title: "one of two is missing",
    call: installation({ name: ["nginx", "parted"] }),
    now: { ...found, offers: [offer, offer], packages: [installed, missing] },
    steps: ["install parted with apt"],
  },
  {
    title: "an interrupted installation",
    call: nginx,
    now: { ...found, packages: [{ ...installed, complete: false }] },
    steps: ["install nginx with apt"],
  },
  {
    title: "an old index",
    call: nginx,
    now: { ...found, index: { ...freshIndex, ageMinutes: 2000 }, packages: [missing] },
    steps: ["fetch the package index and install nginx with apt"],
  },
  {
    title: "an old index that does not have the package",
    call: nginx,
    now: {
      ...found,
      index: { ...freshIndex, ageMinutes: 2000 },
      offers: [none],
      packages: [missing],
      renewal: { near: true },
    },
    steps: ["fetch the package index and install nginx with apt"],
  },
  {
    title: "a different version",
    call: pinned,
    now: { ...found, packages: [installed] },
    steps: ["install nginx=2.0 with apt"],
  },
  {
    title: "older than the latest",
    call: installation({ name: "nginx", state: "latest" }),
    now: { manager, offers: [offer], dependents: [], plan, packages: [installed] },
    steps: ["install nginx with apt"],
  },
  {
    title: "the latest",
    call: installation({ name: "nginx", state: "latest" }),
    now: { manager, offers: [offer], dependents: [], packages: [{ ...installed, version: "2.0" }] },
    steps: [],
  },
  {
    title: "no such package",
    call: nginx,
    now: { ...found, offers: [none], packages: [missing] },
    steps: [],
    refusal: "package-not-found",
  },
  {
    title: "held",
    call: pinned,
    now: { ...found, packages: [{ ...installed, held: true }] },
    steps: [],
    refusal: "package-held",
  },
  {
    title: "installed as a dependency",
    call: nginx,
    now: { ...right, packages: [{ ...installed, manual: false }] },
    steps: ["mark nginx as explicitly installed with apt"],
  },
  {
    title: "conflicts with an installed package",
    call: nginx,
    now: { ...found, plan: { ...plan, removes: ["apache2"] }, packages: [missing] },
    steps: [],
    refusal: "package-removes",
  },
  {
    title: "conflicts with an installed package that may be removed",
    call: installation({ name: "nginx", mayRemove: ["apache2"] }),
    now: { ...found, plan: { ...plan, removes: ["apache2"] }, packages: [missing] },
    steps: ["install nginx with apt"],
  },
  {
    title: "conflicts with what an earlier task installs",
    call: nginx,
    now: { ...found, plan: { ...plan, reason: "nginx : Conflicts: apache2", clash: true }, packages: [missing] },
    steps: [],
    refusal: "package-clash",
  },
  {
    title: "refused by the package manager",
    call: nginx,
    now: { ...found, plan: { ...plan, reason: "nginx : Depends: nowhere" }, packages: [missing] },
    steps: [],
    refusal: "package-refused",
  },
  {
    title: "no package manager",
    call: nginx,
    now: { ...found, manager: absent, packages: [missing] },
    steps: [],
    refusal: "no-package-manager",
  },
  {
    title: "a package to remove",
    call: removal,
    now: { ...gone, packages: [installed], dependents: [{ packages: [] }] },
    steps: ["remove nginx with apt"],
  },
  { title: "gone", call: removal, now: { manager, offers: [], packages: [missing], dependents: [] }, steps: [] },
  {
    title: "needed by others",
    call: removal,
    now: { ...gone, packages: [installed], dependents: [{ packages: ["site"] }] },
    steps: [],
    refusal: "package-needed",
  },
];
