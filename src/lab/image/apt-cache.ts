import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, utimes } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { dirname, join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";
import { PassThrough } from "node:stream";

/** The options of an apt cache: what the cache serves, and where it stores files. */
export interface AptCacheOptions {
  readonly cacheDir: string;
  /** Only files below these URLs are stored; everything else passes through. */
  readonly mirrors: readonly string[];
  /** The machine's own HTTP proxy; if given, the cache sends all requests through it. */
  readonly upstream?: string | undefined;
}

/**
 * Creates an HTTP proxy for apt that stores files that never change: packages, and indexes named by their hash. Several
 * caches can share one directory, because complete files are moved into it atomically. The caller starts and closes the
 * server.
 */
export function aptCache(options: AptCacheOptions): Server {
  const server = createServer((incoming, outgoing) => {
    void answer(options, incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) outgoing.writeHead(502, { "content-type": "text/plain" });
      outgoing.end(`lab apt cache: ${String(error)}\n`);
    });
  });
  // Connections to HTTPS mirrors are tunneled, and nothing is stored.
  server.on("connect", (incoming, client, head) => {
    const [host = "", port = "443"] = (incoming.url ?? "").split(":");
    const remote = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      remote.write(head);
      remote.pipe(client).pipe(remote);
    });
    remote.on("error", () => client.destroy());
    client.on("error", () => remote.destroy());
  });
  return server;
}

async function answer(options: AptCacheOptions, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? "", "http://invalid");
  if (url.host === "invalid") {
    outgoing.writeHead(400).end("this is a proxy for apt\n");
    return;
  }
  const kept = incoming.method === "GET" ? keptFile(options, url) : undefined;
  if (kept !== undefined && (await sendKept(kept, outgoing))) return;
  const response = await fetched(options, url, incoming);
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  if (kept === undefined || response.statusCode !== 200) return pipeline(response, outgoing);
  await keep(response, outgoing, kept);
}

/** The path at which a file is stored if it never changes; undefined for all other files. */
function keptFile(options: AptCacheOptions, url: URL): string | undefined {
  if (!options.mirrors.some((mirror) => url.href.startsWith(`${mirror}/`))) return undefined;
  if (!/\.deb$|\/by-hash\/SHA256\/[0-9a-f]{64}$/.test(url.pathname)) return undefined;
  return join(options.cacheDir, url.host, normalize(url.pathname));
}

async function sendKept(file: string, outgoing: ServerResponse): Promise<boolean> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return false;
  // Records the time of last use, so that files that are no longer used can be found and deleted.
  await utimes(file, new Date(), new Date());
  const { size } = await handle.stat();
  outgoing.writeHead(200, { "content-type": "application/octet-stream", "content-length": size });
  await pipeline(handle.createReadStream(), outgoing);
  return true;
}

async function fetched(options: AptCacheOptions, url: URL, incoming: IncomingMessage): Promise<IncomingMessage> {
  const { "proxy-connection": _, connection: __, ...headers } = incoming.headers;
  const upstream = options.upstream === undefined ? undefined : new URL(options.upstream);
  const { hostname, port } = upstream ?? url;
  const path = upstream === undefined ? `${url.pathname}${url.search}` : url.href;
  return new Promise((resolve, reject) => {
    const asked = request(
      { hostname, port: port || 80, path, method: incoming.method, headers, timeout: 60_000 },
      resolve,
    );
    asked.on("error", reject);
    asked.on("timeout", () => asked.destroy(new Error(`${url.host} does not answer`)));
    incoming.pipe(asked);
  });
}

/** Forwards a response and keeps a copy, which is discarded if it is incomplete. */
async function keep(response: IncomingMessage, outgoing: ServerResponse, file: string): Promise<void> {
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await mkdir(dirname(file), { recursive: true });
  const copy = new PassThrough();
  const written = pipeline(copy, createWriteStream(draft));
  try {
    await pipeline(
      response,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          if (!copy.write(chunk)) await new Promise((resolve) => copy.once("drain", resolve));
          yield chunk;
        }
      },
      outgoing,
    );
    copy.end();
    await written;
    await rename(draft, file);
  } catch (error) {
    copy.destroy();
    await written.catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}
