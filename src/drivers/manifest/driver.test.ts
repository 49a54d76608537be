import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificates } from "../../../test/kube/server/certificates.ts";
import { isSecret, secretOf } from "../../core/secrets/secret.ts";
import { kubeDocuments, type KubeDocuments, type KubeManifestSource } from "../../facts/controller/kube-documents.ts";
import { manifestDriver } from "./driver.ts";

const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), "furrow-manifest-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ask = async (source: KubeManifestSource): Promise<KubeDocuments> =>
  (await manifestDriver.read(kubeDocuments(source).request, signal)) as KubeDocuments;

const named = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`;

/** The name and the place of each object in the manifest. */
async function list(source: KubeManifestSource): Promise<string[]> {
  const answer = await ask(source);
  if ("problem" in answer) return [`${answer.problem.code}: ${answer.problem.message}`];
  return answer.documents.map(
    ({ object, place }) => `${(object["metadata"] as { name: string }).name} at ${place.replace(`${folder}/`, "")}`,
  );
}

/** The first object in a text. */
async function first(text: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await ask({ text });
  if ("problem" in answer) throw new Error(answer.problem.message);
  return answer.documents[0]?.object ?? {};
}

describe("the documents of a text", () => {
  test("are read in order, except empty ones, and lists are expanded", async () => {
    const items = ["b", "c"].map((name) => `- apiVersion: v1\n  kind: ConfigMap\n  metadata: { name: ${name} }\n`);
    const text = `# nothing yet\n---\n${named("a")}---\n# still nothing\n---\napiVersion: v1\nkind: List\nitems:\n${items.join("")}---\n`;
    expect(await list({ text })).toEqual([
      "a at the text, line 3 (document 1)",
      "b at the text, line 12 (document 3), item 1 of a list",
      "c at the text, line 15 (document 3), item 2 of a list",
    ]);
  });

  test("are those that a file contains now, even if it was read before", async () => {
    const path = join(folder, "changing.yaml");
    for (const name of ["one", "two"]) {
      writeFileSync(path, named(name));
      expect(await list({ path, recursive: false })).toEqual([`${name} at changing.yaml, line 1 (document 1)`]);
    }
    rmSync(path);
  });

  test("may be JSON that is indented with tabs", async () => {
    const text = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }, null, "\t");
    expect(await list({ text })).toEqual(["a at the text, line 1 (document 1)"]);
  });

  test("have the values that kubectl would read", async () => {
    const values = {
      "0644": 420,
      "0o644": 420,
      "0x1f": 31,
      "010": 8,
      "1_000": 1000,
      "-7": -7,
      "1.5": 1.5,
      "1e3": 1000,
      yes: true,
      off: false,
      "~": null,
      y: true,
      N: false,
      "0X1F": 31,
      "12:30:45": "12:30:45",
      "2026-01-01": "2026-01-01",
      "1.2.3": "1.2.3",
      "08": 8,
    };
    const lines = Object.keys(values).map((text, at) => `  v${at}: ${text}\n`);
    const { spec } = await first(`${named("a")}spec:\n${lines.join("")}  quoted: "0644"\n  tagged: !!str 0644\n`);
    expect(Object.values(spec as object)).toEqual([...Object.values(values), "0644", "0644"]);
  });

  test("have anchors and merges expanded, and no empty creation times", async () => {
    const text = `${named("a")}spec:\n  one: &one { a: 1 }\n  two: { <<: *one, b: 2 }\n  template: { metadata: { creationTimestamp: null, labels: {} } }\n`;
    expect((await first(text))["spec"]).toEqual({
      one: { a: 1 },
      two: { a: 1, b: 2 },
      template: { metadata: { labels: {} } },
    });
  });

  test("contain the values of a Secret only as secrets, and the playbook's secrets unchanged", async () => {
    const token = secretOf("t0ken: with #signs", "token");
    const secret = await first(
      `apiVersion: v1\nkind: Secret\nmetadata: { name: db }\ndata: { password: cGFzc3dvcmQ= }\nspec:\n  plain: ${token}\n  block: |\n    a ${token}\n`,
    );
    expect(JSON.stringify(secret)).not.toContain("cGFzc3dvcmQ=");
    expect(isSecret((secret["data"] as { password: string }).password)).toBe(true);
    expect(secret["spec"]).toEqual({ plain: String(token), block: `a ${token}\n` });
  });
});

describe("a manifest that cannot be used", () => {
  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    .concat(
      Array.from("bcdefghi", (name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[at]}`).join(", ")}]`),
    )
    .join("\n");
  test.each([
    [
      "a key that is given twice",
      `${named("a")}kind: Secret\n`,
      "not-yaml",
      "line 4 (document 1): a key is given twice",
    ],
    ["a tab", "apiVersion: v1\nmetadata:\n\tname: a\n", "not-yaml", "line 3 (document 1): a tab"],
    [
      "a YAML bomb of nested aliases",
      `${named("a")}spec:\n${bomb.replaceAll(/^/gm, "  ")}\n`,
      "too-large",
      "larger than 3 MiB",
    ],
    ["an alias without an anchor", `${named("a")}spec: *none\n`, "not-yaml", "an alias has no anchor"],
    ["a tag", `${named("a")}spec: !vault abc\n`, "not-yaml", "a tag is not supported"],
    ["a template", `${named("a")}spec: {{ .Values.x }}\n`, "not-yaml", "a key is not a string"],
    ["a number that is too large", `${named("a")}spec: 12345678901234567890\n`, "not-yaml", "a number is too large"],
    ["not a number", `${named("a")}spec: .nan\n`, "not-yaml", "a number"],
    ["prose", `${named("a")}---\nHello\n`, "no-object", "line 5 (document 2): the document is not a Kubernetes object"],
    ["no apiVersion", "kind: ConfigMap\nmetadata: { name: a }\n", "no-object", "has no apiVersion"],
    ["no kind", "apiVersion: v1\nmetadata: { name: a }\n", "no-object", "has no kind"],
    ["no name", "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "no-object", "has no metadata.name"],
    ["a number as the name", named("12"), "no-object", "has no metadata.name, or it is not a string"],
    ["generateName", named("a").replace("name:", "generateName:"), "no-object", "the ConfigMap has generateName"],
    [
      "a list that contains something else",
      "apiVersion: v1\nkind: List\nitems:\n- 1\n",
      "no-object",
      "item 1 of a list",
    ],
    ["nothing", "# nothing\n---\n", "no-object", "the text contains no object"],
    ["only a secret", String(secretOf("x", "x")), "no-object", "the whole document is a secret"],
    ["deep nesting", `${named("a")}spec: ${"[".repeat(20_000)}`, "not-yaml", "nested too deeply"],
  ])("is refused: %s", async (_what, text, code, says) => {
    const answer = await ask({ text });
    expect(answer).toMatchObject({ problem: { code, message: expect.stringContaining(says) as string } });
  });

  test("is refused with a message that contains none of its text", async () => {
    for (const text of ['a: "s3cret', "a: b: s3cret", '"s3cret" s3cret: [', "- s3cret\nb: *s3cret"]) {
      expect(JSON.stringify(await ask({ text }))).not.toContain("s3cret");
    }
  });
});

describe("the files of a directory", () => {
  const at = (name: string): string => join(folder, name);
  beforeAll(() => {
    mkdirSync(at("shop/sub"), { recursive: true });
    for (const name of ["10-b.yml", "2-c.json", "a.yaml", "sub/d.yaml"]) {
      writeFileSync(at(`shop/${name}`), named(name.replaceAll(/\W/g, "-")));
    }
    writeFileSync(at("shop/README.md"), "not a manifest");
    symlinkSync(at("shop/a.yaml"), at("shop/z.yaml"));
    mkdirSync(at("empty"));
    writeFileSync(at("latin.yaml"), Buffer.from([0x61, 0x3a, 0xe9]));
    writeFileSync(at("manifest.txt"), `\uFEFF${named("marked")}`);
    mkdirSync(at("broken"));
    symlinkSync(at("nowhere"), at("broken/a.yaml"));
  });

  test("are read sorted by name, with subdirectories only if requested", async () => {
    expect(await list({ path: at("shop"), recursive: false })).toEqual([
      "10-b-yml at shop/10-b.yml, line 1 (document 1)",
      "2-c-json at shop/2-c.json, line 1 (document 1)",
      "a-yaml at shop/a.yaml, line 1 (document 1)",
      "a-yaml at shop/z.yaml, line 1 (document 1)",
    ]);
    expect((await list({ path: at("shop"), recursive: true })).map((one) => one.split(" ")[0])).toEqual([
      "10-b-yml",
      "2-c-json",
      "a-yaml",
      "sub-d-yaml",
      "a-yaml",
    ]);
  });

  test("may have any name if they are given individually", async () => {
    expect(await list({ path: at("manifest.txt"), recursive: false })).toEqual([
      "marked at manifest.txt, line 1 (document 1)",
    ]);
  });

  test.each([
    ["none", "no-manifest", "does not exist on the controller"],
    ["empty", "no-manifest", "contains no file"],
    ["latin.yaml", "not-yaml", "is not UTF-8 text"],
    ["broken", "no-manifest", "is not a regular file"],
  ])("are refused: %s", async (name, code, says) => {
    expect(await ask({ path: at(name), recursive: false })).toMatchObject({
      problem: { code, message: expect.stringContaining(says) as string },
    });
  });
});

describe("a manifest on a web server", () => {
  const text = named("a");
  const sha256 = createHash("sha256").update(text).digest("hex");
  let server: Server;
  let url = "";
  let asked = 0;
  // Generating the certificates is slow: it starts several processes.
  beforeAll(async () => {
    makeCertificates(folder, { admin: "/CN=admin" });
    const file = (name: string): Buffer => readFileSync(join(folder, name));
    server = createServer({ key: file("server.key"), cert: file("server.crt") }, ({ url: path }, answer) => {
      asked += 1;
      if (path === "/old") answer.writeHead(302, { location: "/shop.yaml" }).end();
      else if (path === "/shop.yaml") answer.end(text);
      else answer.writeHead(404).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    setDefaultCACertificates([...getCACertificates(), file("ca.crt").toString()]);
  }, 600_000);
  afterAll(() => server?.close());

  test("is refused if its content does not match the checksum, or if it cannot be downloaded", async () => {
    const wrong = await ask({ url: `${url}/shop.yaml`, sha256: "0".repeat(64) });
    expect(wrong).toMatchObject({ problem: { code: "wrong-checksum" } });
    expect(JSON.stringify(wrong)).toContain(sha256);
    expect(await ask({ url: `${url}/none`, sha256 })).toMatchObject({
      problem: { code: "not-downloaded", message: expect.stringContaining("answered 404") as string },
    });
    expect(await ask({ url: "https://127.0.0.1:1/x", sha256 })).toMatchObject({ problem: { code: "not-downloaded" } });
  });

  test("is downloaded only once, even through a redirect", async () => {
    const place = `${url}/old, line 1 (document 1)`;
    expect(await list({ url: `${url}/old`, sha256 })).toEqual([`a at ${place}`]);
    const before = asked;
    expect(await list({ url: `${url}/old`, sha256 })).toEqual([`a at ${place}`]);
    expect(asked).toBe(before);
  });
});
