import { absent, file, mayRefuse, type Refusal, refuse, type Step, task, z } from "../../src/authoring.ts";
import { authorityIn } from "../../src/facts/catalogue.ts";
import { caStore, caTrust, type Layout, places } from "./store.ts";

/** The certificate in the example; its key was thrown away. */
const exampleRoot = `-----BEGIN CERTIFICATE-----
MIIBjTCCATOgAwIBAgIJAIS9I4sRZOxAMAoGCCqGSM49BAMCMCkxEDAOBgNVBAoM
B0V4YW1wbGUxFTATBgNVBAMMDEV4YW1wbGUgUm9vdDAgFw0yMDAxMDEwMDAwMDBa
GA8yMTIwMDEwMTAwMDAwMFowKTEQMA4GA1UECgwHRXhhbXBsZTEVMBMGA1UEAwwM
RXhhbXBsZSBSb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfgKAhB460gyD
AALrFh54T2zyJdCZRsDext8cABMV6u9tIR8/LiEBjBa68DiXXmFDAyqJDiw/brMX
iIJ/4XaqCKNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYD
VR0OBBYEFIEynT5H2vUghCf7RynDWBf0i/rtMAoGCCqGSM49BAMCA0gAMEUCIE1g
6Ab3UBg7HerAB6Eoy2LYF/EMQGh9xlVq36Guhv3aAiEAuNY7LAG+gf79sJAfVPu+
7pRUuShDA+a8f930Ew/RsPw=
-----END CERTIFICATE-----
`;

const name = z
  .string({ error: 'a name for the file, like "example-root"' })
  .regex(/^[A-Za-z0-9][\w.-]*$/, 'a name for the file, of letters, digits, ".", "_" and "-"')
  .refine((text) => !/\.(crt|pem|cer)$/i.test(text), "a name without an ending such as .crt; furrow adds it")
  .describe("Name of the certificate's file on the host, without an extension");

const params = z.union([
  z.strictObject({
    name,
    state: z.literal("present").default("present").describe("The host's programs trust the CA"),
    content: z
      .string({ error: "a certificate in PEM format" })
      .transform((text, context) => {
        const authority = authorityIn(text, Date.now());
        if (!("expected" in authority)) return authority.pem;
        context.addIssue({ code: "custom", message: authority.expected });
        return z.NEVER;
      })
      .describe("The CA's certificate in PEM format: exactly one, valid, and without its private key"),
  }),
  z.strictObject({
    name,
    state: z.literal("absent").describe("The file does not exist, and the bundle was built without it"),
  }),
]);

type Params = z.output<typeof params>;

/** Makes the host's programs trust a CA, or stop trusting it. */
export const caCertificate = task({
  name: "caCertificate",
  summary: "Make the host's programs trust a certificate authority, or stop trusting it",
  params,
  examples: [
    { name: "example-root", content: exampleRoot },
    { name: "example-root", state: "absent" },
  ],
  title: (p) => `caCertificate ${p.name}`,
  disturbs: () => [
    "caStore:*",
    "caTrust:**",
    "file:/etc/ssl/**",
    "file:/etc/pki/**",
    "file:/var/lib/ca-certificates/**",
    "hostHttp:**",
  ],
})
  .facts(() => ({ store: mayRefuse(caStore(), ["layout"]) }))
  .facts((p, { store: { layout } }) => ({
    ...(layout !== "none" && { file: file(pathOf(p, layout), ["text"]) }),
    ...(layout !== "none" &&
      p.state === "present" && { folder: file(places[layout].anchors), trust: caTrust(given(p.content)) }),
  }))
  .want((p, now) => {
    if (now.store.layout === "none") return noStore();
    if (now.file !== undefined && now.file !== absent && now.file.type === "directory")
      return inTheWay(p, now.store.layout);
    // If an earlier run was stopped right after it removed the file, the folder is newer than the bundle.
    if (p.state === "absent") return { file: absent, store: { outdated: false } };
    return {
      file: { type: "file", text: p.content },
      folder: { type: "directory" },
      store: { outdated: false },
      trust: { trusted: true },
    };
  })
  .steps((p, { change, now }) => {
    const { layout } = now.store;
    if (layout === "none") return [];
    const path = pathOf(p, layout);
    return [
      change.folder && { step: "makeDirectory", path: places[layout].anchors, parents: true, mode: "0755" },
      change.file &&
        (p.state === "present"
          ? { step: "writeFile", path, text: p.content, mode: "0644" }
          : { step: "remove", path, recursive: false }),
      update(layout),
    ];
  });

/** The certificate in validated params. */
function given(pem: string): { readonly fingerprint: string; readonly pem: string } {
  const authority = authorityIn(pem);
  return "expected" in authority ? { fingerprint: "", pem } : authority;
}

function pathOf(p: Params, layout: Layout): string {
  const { anchors, ending } = places[layout];
  return `${anchors}/${p.name}${ending}`;
}

/**
 * Builds the bundle. If the clock was set back, the folder's date may be in the future; the bundle then gets the same
 * date, so that it does not count as older than the folder. Debian's program exits with code 0 even if a hook has
 * failed, so stores such as Java's may lack the certificate. In that case the bundle gets an old date, so that the next
 * run builds it again.
 */
function update(layout: Layout): Step {
  const { program, anchors, bundle } = places[layout];
  const script = `PATH=$PATH:/usr/sbin:/sbin a=$1 b=$2; shift 2
o=$("$@" 2>&1) || { r=$?; printf '%s\\n' "$o" >&2; exit $r; }
printf '%s\\n' "$o" >&2
case $o in
*'E: '*' exited with code '*) touch -t 197001020000 -- "$b"; exit 1;;
esac
[ ! "$a" -nt "$b" ] || touch -r "$a" -- "$b"`;
  return {
    step: "run",
    label: program.join(" "),
    argv: ["sh", "-c", script, "sh", anchors, bundle, ...program],
  };
}

function noStore(): Refusal {
  return refuse({
    code: "no-ca-store",
    message: "this host has no certificate store that furrow supports",
    current: "neither update-ca-certificates nor update-ca-trust",
    expected: "the store of Debian, SUSE or Red Hat",
    hint: 'Put package({ name: "ca-certificates" }) before this task',
  });
}

function inTheWay(p: Params, layout: Layout): Refusal {
  return refuse({
    code: "not-a-file",
    message: `${pathOf(p, layout)} is a directory`,
    expected: "a file or nothing",
    hint: "Choose another name, or remove the directory by hand",
  });
}
