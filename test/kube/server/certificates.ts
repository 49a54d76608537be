import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Creates a CA in a folder, a certificate for the server, and one for each user (`O=` is the user's group). */
export function makeCertificates(folder: string, users: Readonly<Record<string, string>>): void {
  const openssl = (...argv: string[]): unknown => execFileSync("openssl", argv, { cwd: folder, stdio: "ignore" });
  const made = ["-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  openssl("req", "-x509", ...made, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca");
  const subjects = { server: "/CN=kube-apiserver", ...users };
  for (const [name, subject] of Object.entries(subjects)) {
    const extra = name === "server" ? ["-addext", "subjectAltName=IP:127.0.0.1,DNS:kubernetes"] : [];
    openssl("req", ...made, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", subject, ...extra);
    openssl(
      ...`x509 -req -in ${name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -copy_extensions copy`.split(" "),
      "-out",
      `${name}.crt`,
    );
  }
}

/** The kubeconfig of a user whose certificate is in the folder. */
export function kubeconfigText(folder: string, user: string, server: string, ca = "ca"): string {
  const data = (file: string): string => readFileSync(join(folder, file)).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": data(`${ca}.crt`) } }],
    users: [
      {
        name: "u",
        user: { "client-certificate-data": data(`${user}.crt`), "client-key-data": data(`${user}.key`) },
      },
    ],
  });
}
