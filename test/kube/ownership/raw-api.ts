import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";

/** A response of the API. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends requests to an API server as its administrator. Imports nothing from furrow. */
export class RawApi {
  readonly #agent: Agent;
  readonly #url: string;

  /** `folder` contains the certificates of the CA and of the administrator. */
  constructor(url: string, folder: string) {
    const file = (name: string): Buffer => readFileSync(join(folder, name));
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, ca: file("ca.crt"), cert: file("admin.crt"), key: file("admin.key") });
  }

  /** Sends a request with a JSON body. */
  send(method: string, path: string, type = "application/json", body?: object): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": type, "user-agent": "other-manager" };
      const sent = request(new URL(this.#url + path), { method, agent: this.#agent, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
        answer.on("error", reject);
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection just as it was used again: https://nodejs.org/api/http.html#requestreusedsocket
        if (sent.reusedSocket && error.code === "ECONNRESET") resolve(this.send(method, path, type, body));
        else reject(error);
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
