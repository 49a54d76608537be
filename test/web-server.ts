import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How a test's web server responds to a request; `first` is true for the first request. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, first: boolean) => void;

/** The content of the file that the server serves. */
export const content = randomBytes(300_000);

/** Serves the file, or the part that was requested. */
export const whole: Behaviour = (request, response) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? Number.NaN);
  if (Number.isNaN(from)) {
    response.writeHead(200, { "content-length": content.length, "accept-ranges": "bytes" }).end(content);
  } else if (from >= content.length) {
    response.writeHead(416, { "content-range": `bytes */${content.length}` }).end();
  } else {
    const range = `bytes ${from}-${content.length - 1}/${content.length}`;
    response
      .writeHead(206, { "content-length": content.length - from, "content-range": range })
      .end(content.subarray(from));
  }
};
/** Serves an error page. */
export const page =
  (status: number): Behaviour =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "text/html" }).end("<html>no such page</html>");
/** Closes the connection in the middle of the file on the first request. */
export const cutOnce =
  (then: Behaviour): Behaviour =>
  (request, response, first) => {
    if (!first) return then(request, response, first);
    response.writeHead(200, { "content-length": content.length, "accept-ranges": "bytes" });
    response.write(content.subarray(0, 100_000), () => response.destroy());
  };

/** Starts a web server on the loopback interface; `base` is its URL without a path. */
export async function serve(listener: RequestListener): Promise<{ readonly base: string; readonly close: () => void }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
