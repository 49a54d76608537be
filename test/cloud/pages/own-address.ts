import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((settle) => void server.listen(0, "127.0.0.1", settle));
  return (server.address() as AddressInfo).port;
};

/** A stand-in for checkip.amazonaws.com, which provisioning playbooks ask for the controller's own public address. */
export interface OwnAddress {
  /** The environment with which furrow reaches the stand-in: as a proxy with its own certificate. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** Starts the stand-in, which answers with this address. It does not forward anything to other hosts. */
export async function startOwnAddress(folder: string, address: string, direct: readonly string[]): Promise<OwnAddress> {
  const [key, cert] = [join(folder, "own-address.key"), join(folder, "own-address.pem")];
  const name = "checkip.amazonaws.com";
  const request = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}`;
  const words = [...request.split(" "), "-addext", `subjectAltName=DNS:${name}`, "-keyout", key, "-out", cert];
  execFileSync("openssl", words, { stdio: "ignore" });
  const site = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
    response.end(`${address}\n`);
  });
  const port = await listen(site);
  const proxy = createServer((_request, response) => void response.writeHead(502).end());
  proxy.on("connect", ({ url }, client: Socket) => {
    if (url !== `${name}:443`) return void client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    const far = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      far.pipe(client).pipe(far);
    });
    for (const socket of [far, client]) socket.on("error", () => socket.destroy());
  });
  return {
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
      NO_PROXY: ["127.0.0.1", "localhost", ...direct].join(","),
      NODE_EXTRA_CA_CERTS: cert,
    },
    close: () => {
      for (const server of [site, proxy]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
