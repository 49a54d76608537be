import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { timezone } from "./timezone.ts";

const owned = { mode: "0644", owner: "root", group: "root" };
const zone = { type: "file", ...owned };
const link = (target: string): object => ({ ...owned, type: "link", mode: "0777", target });
const named = (text: string): object => ({ ...zone, text });
const call = timezone({ name: "Europe/Berlin" });
const berlin = link("/usr/share/zoneinfo/Europe/Berlin");
const toBerlin = "link /etc/localtime to /usr/share/zoneinfo/Europe/Berlin";

/** Test cases for `timezone`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: { zone, local: berlin, saved: named("Europe/Berlin\n") }, steps: [] },
  {
    title: "a relative link, as timedatectl creates it, on a system without /etc/timezone",
    call,
    now: { zone, local: link("../usr/share/zoneinfo/Europe/Berlin"), saved: absent },
    steps: [],
  },
  {
    title: "a different zone",
    call,
    now: { zone, local: link("/usr/share/zoneinfo/Etc/UTC"), saved: named("Etc/UTC\n") },
    steps: ["write /etc/timezone", toBerlin],
  },
  {
    title: "the name is saved, but the zone is not set",
    call,
    now: { zone, local: link("/usr/share/zoneinfo/Etc/UTC"), saved: named("# by hand\nEurope/Berlin\n") },
    steps: [toBerlin],
  },
  { title: "no zone at all, which means UTC", call, now: { zone, local: absent, saved: absent }, steps: [toBerlin] },
  { title: "a copy instead of a link", call, now: { zone, local: zone, saved: absent }, steps: [toBerlin] },
  {
    title: "a zone that is a link to another one",
    call,
    now: { zone: link("Zurich"), local: absent, saved: absent },
    steps: [toBerlin],
  },
  {
    title: "a host without the zone",
    call,
    now: { zone: absent, local: berlin, saved: absent },
    steps: [],
    refusal: "no-zone",
  },
  {
    title: "a directory of zones",
    call: timezone({ name: "Europe" }),
    now: { zone: { ...zone, type: "directory", mode: "0755" }, local: berlin, saved: absent },
    steps: [],
    refusal: "no-zone",
  },
  {
    title: "a directory instead of a link",
    call,
    now: { zone, local: { ...zone, type: "directory", mode: "0755" }, saved: absent },
    steps: [],
    refusal: "not-a-file",
  },
];
