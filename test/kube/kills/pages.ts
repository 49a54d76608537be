import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { Issuer } from "../../issued.ts";

/** A cluster's Harvester UI, with the certificate that its ingress presents. */
export class Pages {
  readonly issuer: Issuer;
  readonly #server: Server;

  private constructor(issuer: Issuer) {
    this.issuer = issuer;
    this.#server = createServer();
  }

  /** Starts the UI; certificates are issued in the folder. */
  static async up(folder: string): Promise<Pages> {
    const issuer = new Issuer(folder);
    issuer.authority("root");
    issuer.authority("dynamic");
    issuer.issue("ui", "root", "DNS:localhost,IP:127.0.0.1");
    const pages = new Pages(issuer);
    pages.reset();
    await new Promise<void>((resolve) => {
      pages.#server.listen(0, "127.0.0.1", resolve);
    });
    return pages;
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Presents the certificate that a new cluster has created for itself. */
  reset(): void {
    this.#server.setSecureContext({ cert: this.issuer.text("dynamic.crt"), key: this.issuer.text("dynamic.key") });
  }

  /** Presents the certificate in a setting's value. */
  show(setting: string, value: string): void {
    if (setting !== "ssl-certificates") return;
    const { publicCertificate, privateKey } = JSON.parse(value) as { publicCertificate: string; privateKey: string };
    this.#server.setSecureContext({ cert: publicCertificate, key: privateKey });
  }

  async down(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
