import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { caCertificate } from "./ca-certificate.ts";
import { otherRoot, root } from "./certificates.fixture.ts";

const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
const file = { ...folder, type: "file", mode: "0644", text: root };
const debian = { layout: "debian", outdated: false };
const trust = { trusted: true };
const right = { store: debian, file, folder, trust };
const none = { trusted: false };
const path = "/usr/local/share/ca-certificates/example-root.crt";
const update = "update-ca-certificates --fresh";
const call = caCertificate({ name: "example-root", content: root });
const removal = caCertificate({ name: "example-root", state: "absent" });
const bare = { store: debian, file };

/** Test cases for `caCertificate`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already trusted", call, now: right, steps: [] },
  {
    title: "lines that end in CR LF, and text around the certificate",
    call: caCertificate({
      name: "example-root",
      content: `subject=Example Root\n${root.replaceAll("\n", "\r\n")}\r\n`,
    }),
    now: right,
    steps: [],
  },
  { title: "not trusted", call, now: { ...right, file: absent, trust: none }, steps: [`write ${path}`, update] },
  {
    title: "no folder for the administrator's certificates",
    call,
    now: { ...right, file: absent, folder: absent, trust: none },
    steps: ["make directory /usr/local/share/ca-certificates", `write ${path}`, update],
  },
  { title: "the file exists, but the bundle was not built", call, now: { ...right, trust: none }, steps: [update] },
  {
    title: "an older certificate of the CA",
    call,
    now: { ...right, file: { ...file, text: otherRoot }, trust: none },
    steps: [`write ${path}`, update],
  },
  {
    title: "trusted through another file",
    call,
    now: { ...right, file: absent },
    steps: [`write ${path}`, update],
  },
  {
    title: "a run was stopped after it removed another certificate",
    call,
    now: { ...right, store: { ...debian, outdated: true } },
    steps: [update],
  },
  {
    title: "a SUSE host",
    call,
    now: { store: { layout: "suse", outdated: false }, file: absent, folder, trust: none },
    steps: ["write /etc/pki/trust/anchors/example-root.pem", update],
  },
  {
    title: "a Red Hat host",
    call,
    now: { store: { layout: "redhat", outdated: false }, file: absent, folder, trust: none },
    steps: ["write /etc/pki/ca-trust/source/anchors/example-root.pem", "update-ca-trust extract"],
  },
  {
    title: "a host without a store",
    call,
    now: { store: { layout: "none", outdated: false } },
    steps: [],
    refusal: "no-ca-store",
  },
  { title: "a directory instead of the file", call, now: { ...right, file: folder }, steps: [], refusal: "not-a-file" },
  { title: "a certificate to remove", call: removal, now: bare, steps: [`remove ${path}`, update] },
  {
    title: "removed, but a run was stopped before the bundle was built",
    call: removal,
    now: { store: { ...debian, outdated: true }, file: absent },
    steps: [update],
  },
  { title: "already removed", call: removal, now: { store: debian, file: absent }, steps: [] },
];
