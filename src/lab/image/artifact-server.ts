import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";

/** A running web server on the controller. */
export interface ArtifactServer {
  /** The server's URL, such as `http://10.77.0.1:41234`, without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Acts as a release server for a lab: serves the files in one folder, without its subfolders, on one of this machine's
 * addresses.
 *
 * @param address the address to listen on: this machine's address in the lab's network
 */
export async function serveArtifacts(folder: string, address: string): Promise<ArtifactServer> {
  const server = createServer((request, response) => {
    const path = join(folder, basename(decodeURIComponent(request.url ?? "/")));
    if (!existsSync(path) || !statSync(path).isFile()) {
      response.writeHead(404).end("not found\n");
      return;
    }
    response.writeHead(200, { "content-length": statSync(path).size, "content-type": "application/octet-stream" });
    if (request.method === "HEAD") response.end();
    else createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, address, resolve);
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    url: `http://${address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
