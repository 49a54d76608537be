import { describe, expect, test } from "vitest";
import { absent, type FurrowError } from "../../src/authoring.ts";
import { freshIndex } from "../../src/facts/catalogue.ts";
import { reveal, secretOf } from "../../src/core/secrets/secret.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { fingerprint, publicKey } from "../../test/packages/key.ts";
import { packageRepo } from "./package-repo.ts";

const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const text = (content: string) => ({ type: "file", mode: "0644", owner: "root", group: "root", text: content });
const url = "https://example.org/key.asc";
const byUrl = { url, fingerprint };
const apt = {
  manager: "apt",
  name: "docker",
  uris: ["https://example.org/debian"],
  suites: ["bookworm"],
  components: ["stable"],
} as const;
const sources = `Types: deb
URIs: https://example.org/debian
Suites: bookworm
Components: stable
Signed-By: /etc/apt/keyrings/docker.asc
`;
const zypper = { manager: "zypper", name: "network", url: "https://example.org/SLE_15/" } as const;
const settings = {
  baseurl: "https://example.org/SLE_15",
  enabled: "1",
  gpgcheck: "1",
  autorefresh: "1",
  keeppackages: "1",
};
const section = { file: "/etc/zypp/repos.d/network.repo", alone: true, settings };
const own = {
  apt: {
    manager: { name: "apt" },
    index: freshIndex,
    folder: directory,
    keys: directory,
    key: text(publicKey),
    sources: text(sources),
  },
  zypper: {
    manager: { name: "zypper" },
    index: freshIndex,
    folder: directory,
    key: absent,
    section,
    keys: directory,
    trust: { imported: true },
  },
};
const keep = (name: string): string => `back up the files of the repository ${name} until its index is fetched`;
const look = (call: Parameters<typeof explain>[0], now: object): Explanation =>
  explain(call, now as Record<string, unknown>);

describe("packageRepo for apt", () => {
  const call = packageRepo({ ...apt, key: byUrl });

  test("accepts correct files, and does not fetch a key that the host has", () => {
    const explained = look(call, own.apt);
    expect(explained.steps).toEqual([]);
    expect(explained.facts.some((id) => id.startsWith("http:"))).toBe(false);
  });

  test("fetches a key that the host lacks, writes key and description, then fetches the index", () => {
    const now = {
      ...own.apt,
      keys: absent,
      key: absent,
      sources: absent,
      answer: { status: 200, body: publicKey, headers: {} },
    };
    const { steps, described } = look(call, now);
    expect(described).toEqual([
      keep("docker"),
      "make directory /etc/apt/keyrings",
      "write /etc/apt/keyrings/docker.asc",
      "write /etc/apt/sources.list.d/docker.sources",
      "fetch the package index with apt",
    ]);
    expect(steps[3]).toMatchObject({ text: sources, mode: "0644" });
  });

  test.each([
    { differing: "sources", now: { sources: text("Types: deb\n") }, change: ["text"] },
    { differing: "key", now: { key: text(publicKey.replace("\n", "\nComment: x\n")) }, change: ["text"] },
  ])("corrects a wrong $differing and fetches the index", ({ differing, now, change }) => {
    const explained = look(packageRepo({ ...apt, key: { content: publicKey } }), { ...own.apt, ...now });
    expect(Object.values(explained.change)).toContainEqual(change);
    expect(explained.described.at(-1), differing).toBe("fetch the package index with apt");
  });

  test("fetches the index and does nothing else if only the index is outdated", () => {
    const explained = look(call, { ...own.apt, index: { ...freshIndex, outdated: true } });
    expect(explained.described).toEqual(["fetch the package index with apt"]);
  });

  test.each([
    { what: "an answer that is not a key", answer: { status: 200, body: "<html>", headers: {} }, code: "key-mismatch" },
    { what: "status 404", answer: { status: 404, body: publicKey, headers: {} }, code: "no-key" },
    { what: "no answer", answer: { error: { code: "ENOTFOUND", message: "no such host" } }, code: "no-key" },
  ])("refuses $what", ({ answer, code }) => {
    expect(look(call, { ...own.apt, key: absent, answer }).refusal?.code).toBe(code);
  });

  test("refuses a key with another fingerprint, and shows that fingerprint", () => {
    const wanted = "0".repeat(40);
    const other = packageRepo({ ...apt, key: { url, fingerprint: wanted } });
    const { refusal } = look(other, { ...own.apt, key: absent, answer: { status: 200, body: publicKey, headers: {} } });
    expect(refusal).toMatchObject({ code: "key-mismatch", current: fingerprint, expected: wanted });
  });

  test("refuses a host with another package manager", () => {
    expect(look(call, { ...own.apt, manager: { name: "zypper" } }).refusal?.code).toBe("other-package-manager");
  });

  test("removes the repository's description and key", () => {
    const gone = packageRepo({ manager: "apt", name: "docker", state: "absent" });
    expect(look(gone, { ...own.apt, login: absent }).described).toEqual([
      "remove /etc/apt/sources.list.d/docker.sources",
      "remove /etc/apt/keyrings/docker.asc",
    ]);
    expect(look(gone, { ...own.apt, key: absent, sources: absent, login: absent }).steps).toEqual([]);
  });
});

describe("packageRepo for zypper", () => {
  test("adopts a file that zypper wrote without the final slash in the URL and with additional settings", () => {
    expect(look(packageRepo(zypper), own.zypper).steps).toEqual([]);
  });

  test("changes the settings that differ and keeps the rest", () => {
    const { change, steps } = look(packageRepo({ ...zypper, priority: 20 }), own.zypper);
    expect(change).toEqual({ "packageRepo:zypper/network": ["settings.priority"] });
    expect(steps[1]).toMatchObject({ step: "writeFile", path: section.file });
    expect(JSON.stringify(steps[1])).toContain("keeppackages=1");
  });

  test("imports a key before the index is fetched", () => {
    const now = { ...own.zypper, section: absent, trust: { imported: false } };
    expect(look(packageRepo({ ...zypper, key: { content: publicKey } }), now).described).toEqual([
      keep("network"),
      "write /etc/pki/rpm-gpg/network.asc",
      "rpm --import /etc/pki/rpm-gpg/network.asc",
      "write /etc/zypp/repos.d/network.repo",
      "fetch the package index with zypper",
    ]);
  });

  test("fetches nothing for a disabled repository", () => {
    expect(look(packageRepo({ ...zypper, enabled: false }), own.zypper).described).toEqual([
      "write /etc/zypp/repos.d/network.repo",
    ]);
  });

  test.each([
    { call: packageRepo({ ...zypper, url: "https://example.org/other" }), found: { ...section, alone: false } },
    {
      call: packageRepo({ ...zypper, url: "https://example.org/other" }),
      found: { ...section, file: "/etc/zypp/repos.d/x.repo" },
    },
    { call: packageRepo({ manager: "zypper", name: "network", state: "absent" }), found: { ...section, alone: false } },
  ])("refuses to touch a file that is not its own", ({ call, found }) => {
    expect(look(call, { ...own.zypper, section: found, login: absent }).refusal?.code).toBe("repo-elsewhere");
  });
});

describe("packageRepo's params", () => {
  test.each(["file:/srv/repo", "file:///srv/repo", "https://example.org/debian"])("take the URL %s", (uri) => {
    expect(packageRepo.card.params.parse({ ...apt, uris: [uri] })).toMatchObject({ uris: [uri] });
  });

  test.each([
    { input: { ...apt, name: "a b" }, says: "a short name" },
    { input: { ...apt, uris: ["example.org"] }, says: "a URL" },
    { input: { ...apt, key: { url, fingerprint: "1234" } }, says: "fingerprint" },
    { input: { ...apt, key: { content: "mDMEawFR" } }, says: "OpenPGP" },
    { input: { ...zypper, priority: 0 }, says: "priority" },
    { input: { manager: "yum", name: "x", url }, says: "manager" },
  ])("refuse $input", ({ input, says }) => {
    let failure: unknown;
    try {
      look(packageRepo(input as never), own.apt);
    } catch (error) {
      ({ failure } = error as { failure: unknown });
    }
    expect(JSON.stringify(failure)).toContain(says);
  });
});

test.each([
  { what: "a password", uri: "https://me:hunter2@repo.example.org/debian" },
  { what: "a secret", uri: secretOf("https://me:hunter2@repo.example.org/debian", "repo") },
  { what: "text with a secret", uri: `https://me:${secretOf("hunter2", "repo")}@repo.example.org/debian` },
])("refuses $what in a URL, and says where it belongs without repeating it", ({ uri }) => {
  const call = packageRepo({ manager: "apt", name: "private", uris: [uri as string], suites: ["./"] });
  const failure = failureOf(() => explain(call, {}));
  expect(failure).toContain("login: { user:");
  expect(failure).not.toContain("hunter2");
});

describe("a login", () => {
  const login = { user: "me", password: secretOf("hunter2", "repo") };
  const content = (call: ReturnType<typeof packageRepo>, now: object): string | undefined => {
    const write = look(call, { ...now, logins: directory, login: absent }).steps.find(
      (step) => step.step === "writeFile" && step.mode === "0600",
    );
    return write?.step === "writeFile" ? reveal(write.text) : undefined;
  };

  test("is in apt's file once per server, with a slash so that a longer host name does not match", () => {
    const uris = ["https://a.example.org/debian", "mirror+http://b.example.org:81/", "file:///srv"];
    expect(content(packageRepo({ ...apt, uris, login }), own.apt)).toBe(
      "machine https://a.example.org/debian/ login me password hunter2\nmachine http://b.example.org:81/ login me password hunter2\n",
    );
  });

  test("is referenced in the URL for zypper, and in a variable for dnf", () => {
    expect(content(packageRepo({ ...zypper, login }), own.zypper)).toBe("username=me\npassword=hunter2\n");
    const written = JSON.stringify(
      look(packageRepo({ ...zypper, login }), { ...own.zypper, logins: directory, login: absent }).steps,
    );
    expect(written).toContain("baseurl=https://example.org/SLE_15/?credentials=network");
    const dnf = packageRepo({ manager: "dnf", name: "my-repo", url: "https://example.org/rpm", login });
    const now = { ...own.zypper, manager: { name: "dnf" }, section: absent };
    expect(content(dnf, now)).toBe("hunter2\n");
    expect(JSON.stringify(look(dnf, { ...now, logins: directory, login: absent }).steps)).toContain(
      "username=me\\npassword=$furrow_my_repo_password",
    );
  });
});

function failureOf(act: () => unknown): string {
  try {
    return JSON.stringify(act());
  } catch (error) {
    return JSON.stringify((error as FurrowError).failure);
  }
}
