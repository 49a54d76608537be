import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Issuer } from "../issued.ts";

/** A mirror of releases over HTTPS, at an address that lab hosts can reach: its files are at `/NAME/VERSION/FILE`. */
export class Mirror {
  readonly folder: string = mkdtempSync(join(tmpdir(), "furrow-mirror-"));
  readonly #issuer: Issuer = new Issuer(this.folder);
  #server: Server | undefined;
  #url = "";

  /** Starts a mirror. */
  static async up(address: string): Promise<Mirror> {
    const mirror = new Mirror();
    mirror.#issuer.authority("authority");
    mirror.#issuer.issue("mirror", "authority", `IP:${address}`);
    const key = readFileSync(mirror.#issuer.path("mirror.key"));
    const server = createServer({ key, cert: readFileSync(mirror.#issuer.path("mirror.crt")) }, (asked, answer) => {
      const path = join(mirror.folder, "files", decodeURIComponent(asked.url ?? "/"));
      if (!existsSync(path) || !statSync(path).isFile()) return void answer.writeHead(404).end("not found\n");
      answer.writeHead(200, { "content-length": statSync(path).size });
      if (asked.method === "HEAD") answer.end();
      else createReadStream(path).pipe(answer);
    });
    await new Promise<void>((ready) => server.listen(0, address, ready));
    mirror.#server = server;
    mirror.#url = `https://${address}:${(server.address() as AddressInfo).port}`;
    return mirror;
  }

  get url(): string {
    return this.#url;
  }

  /** The path of the CA certificate that clients must trust. */
  get authority(): string {
    return this.#issuer.path("authority.crt");
  }

  /** Serves text at `/PATH`. Returns its digest: `sha256:HEX`. */
  put(path: string, text: string): string {
    const file = join(this.folder, "files", path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
    return digestOf(file);
  }

  /** Serves a release of the stand-in for RKE2, as a tarball like RKE2's own. Returns its digest. */
  putRke2(version: string, places: string): string {
    const folder = join(this.folder, `bundle-${version}`);
    cpSync(join(import.meta.dirname, "bundle"), folder, { recursive: true });
    writeFileSync(join(folder, "share/rke2/version"), `${version}\n`);
    writeFileSync(join(folder, "share/rke2/stand-in"), places);
    const file = join(this.folder, "files/rke2", version, "rke2.linux-amd64.tar.gz");
    mkdirSync(join(file, ".."), { recursive: true });
    execFileSync("tar", ["-czf", file, "--owner=0", "--group=0", "-C", folder, "bin", "lib", "share"]);
    return digestOf(file);
  }

  async down(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done));
    rmSync(this.folder, { recursive: true });
  }
}

function digestOf(file: string): string {
  return `sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
}
