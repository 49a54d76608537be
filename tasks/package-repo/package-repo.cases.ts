import { absent } from "../../src/authoring.ts";
import { freshIndex } from "../../src/facts/catalogue.ts";
import { seal } from "../../src/core/secrets/secret.ts";
import type { Case } from "../../src/testing/index.ts";
import { publicKey as content } from "../../test/packages/key.ts";
import { packageRepo } from "./package-repo.ts";

const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
const text = (written: string): object => ({ ...folder, type: "file", mode: "0644", text: written });
const apt = packageRepo({
  manager: "apt",
  name: "docker",
  uris: ["https://example.org/debian"],
  suites: ["bookworm"],
  components: ["stable"],
  key: { content },
});
const sources = `Types: deb
URIs: https://example.org/debian
Suites: bookworm
Components: stable
Signed-By: /etc/apt/keyrings/docker.asc
`;
const right = {
  manager: { name: "apt" },
  index: freshIndex,
  folder,
  keys: folder,
  key: text(content),
  sources: text(sources),
};
const zypper = packageRepo({ manager: "zypper", name: "network", url: "https://example.org/SLE_15/" });
const section = {
  file: "/etc/zypp/repos.d/network.repo",
  alone: true,
  settings: {
    autorefresh: "1",
    baseurl: "https://example.org/SLE_15",
    enabled: "1",
    gpgcheck: "1",
    keeppackages: "1",
  },
};
const suse = { manager: { name: "zypper" }, index: freshIndex, folder, key: absent, section };
const removal = packageRepo({ manager: "apt", name: "docker", state: "absent" });
const fetched = "fetch the package index with apt";
const keep = (name: string): string => `back up the files of the repository ${name} until its index is fetched`;
const guarded = packageRepo({
  manager: "apt",
  name: "docker",
  uris: ["https://example.org/debian"],
  suites: ["bookworm"],
  components: ["stable"],
  key: { content },
  login: { user: "me", password: "hunter2" },
});
const sealed = {
  ...folder,
  type: "file",
  mode: "0600",
  seal: seal(Buffer.from("machine https://example.org/debian/ login me password hunter2\n")),
};

/** Test cases for `packageRepo`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call: apt, now: right, steps: [] },
  {
    title: "nothing there",
    call: apt,
    now: { ...right, folder: absent, keys: absent, key: absent, sources: absent },
    steps: [
      keep("docker"),
      "make directory /etc/apt/sources.list.d",
      "make directory /etc/apt/keyrings",
      "write /etc/apt/keyrings/docker.asc",
      "write /etc/apt/sources.list.d/docker.sources",
      fetched,
    ],
  },
  {
    title: "a different description",
    call: apt,
    now: { ...right, sources: text("Types: deb\n") },
    steps: [keep("docker"), "write /etc/apt/sources.list.d/docker.sources", fetched],
  },
  { title: "a correct login", call: guarded, now: { ...right, logins: folder, login: sealed }, steps: [] },
  {
    title: "a missing login",
    call: guarded,
    now: { ...right, logins: absent, login: absent },
    steps: [keep("docker"), "make directory /etc/apt/auth.conf.d", "write /etc/apt/auth.conf.d/docker.conf", fetched],
  },
  {
    title: "a login that other users can read",
    call: guarded,
    now: { ...right, logins: folder, login: { ...sealed, mode: "0644" } },
    steps: [keep("docker"), "write /etc/apt/auth.conf.d/docker.conf", fetched],
  },
  {
    title: "a login for files on the host",
    call: packageRepo({
      manager: "apt",
      name: "local",
      uris: ["file:///srv/debian"],
      suites: ["./"],
      login: { user: "me", password: "hunter2" },
    }),
    now: {
      manager: right.manager,
      index: freshIndex,
      folder,
      key: absent,
      sources: absent,
      logins: folder,
      login: absent,
    },
    steps: [],
    refusal: "login-without-server",
  },
  {
    title: "an index without the repository",
    call: apt,
    now: { ...right, index: { ...freshIndex, outdated: true } },
    steps: [fetched],
  },
  { title: "up to date, for zypper", call: zypper, now: suse, steps: [] },
  {
    title: "missing for zypper",
    call: zypper,
    now: { ...suse, section: absent },
    steps: [keep("network"), "write /etc/zypp/repos.d/network.repo", "fetch the package index with zypper"],
  },
  {
    title: "another package manager",
    call: zypper,
    now: { ...suse, manager: { name: "apt" } },
    steps: [],
    refusal: "other-package-manager",
  },
  {
    title: "a repository to remove",
    call: removal,
    now: { manager: { name: "apt" }, key: text(content), login: absent, sources: text(sources) },
    steps: ["remove /etc/apt/sources.list.d/docker.sources", "remove /etc/apt/keyrings/docker.asc"],
  },
  {
    title: "a password to remove",
    call: removal,
    now: { manager: { name: "apt" }, key: absent, login: sealed, sources: absent },
    steps: ["remove /etc/apt/auth.conf.d/docker.conf"],
  },
  {
    title: "gone",
    call: removal,
    now: { manager: { name: "apt" }, key: absent, login: absent, sources: absent },
    steps: [],
  },
];
