import { hideCredential } from "../../core/secrets/secret.ts";
import { type Entry, says, wrong } from "./wrong.ts";

const hint = "Give the URL of an http, https or socks5 proxy, or remove it";

/**
 * A cluster's `proxy-url`. Throws FurrowError E_FILE, which does not quote the URL, because the URL may contain a
 * password.
 */
export function proxyOf(cluster: Entry, file: string): URL | undefined {
  if (!says(cluster, "proxy-url")) return undefined;
  const text = cluster["proxy-url"];
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === "") throw wrong(file, "its cluster's proxy-url is not a URL", hint);
  hideProxyPassword(url);
  if (["http:", "https:", "socks5:"].includes(url.protocol)) return url;
  throw wrong(file, `its cluster's proxy-url has the scheme ${url.protocol.slice(0, -1)}`, hint);
}

/** Keeps a proxy's password out of all output: a proxy may quote it when it refuses a request. */
export function hideProxyPassword({ password }: URL): void {
  let sent = password;
  try {
    sent = decodeURIComponent(password);
  } catch {
    // The password contains a % that encodes nothing.
  }
  hideCredential(sent, "proxy-password");
}
