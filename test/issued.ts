import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Issues certificates in a folder, with OpenSSL: NAME.crt and NAME.key. */
export class Issuer {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates a self-signed certificate authority. */
  authority(name: string): void {
    this.#openssl(["req", "-x509", ...made, "-keyout", `${name}.key`, "-out", `${name}.crt`, "-subj", `/CN=${name}`]);
  }

  /**
   * Issues a certificate for these names: `DNS:a.example.org,IP:127.0.0.1`. `isAuthority` is for an intermediate
   * authority.
   */
  issue(name: string, by: string, names: string, { days = 90, isAuthority = false } = {}): void {
    const extensions = [`subjectAltName=${names}`, ...(isAuthority ? ["basicConstraints=critical,CA:TRUE"] : [])];
    const added = extensions.flatMap((one) => ["-addext", one]);
    this.#openssl(["req", ...made, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`, ...added]);
    const authority = ["-CA", `${by}.crt`, "-CAkey", `${by}.key`, "-CAcreateserial"];
    const kept = ["-days", String(days), "-copy_extensions", "copyall"];
    this.#openssl(["x509", "-req", "-in", `${name}.csr`, ...authority, ...kept, "-out", `${name}.crt`]);
  }

  /** The path of a file in the folder. */
  path(file: string): string {
    return join(this.folder, file);
  }

  /** The text of files in the folder, one after the other. */
  text(...files: readonly string[]): string {
    return files.map((file) => readFileSync(this.path(file), "utf8")).join("");
  }

  #openssl(argv: readonly string[]): void {
    execFileSync("openssl", argv, { cwd: this.folder, stdio: "ignore" });
  }
}

const made = ["-nodes", "-days", "365", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
