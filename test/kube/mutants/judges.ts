import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join, resolve } from "node:path";
import type { ObjectData } from "../on-server.ts";
import type { ApiServer } from "../server/api-server.ts";

const root = resolve(import.meta.dirname, "../../..");

/** An object, and the type that the compiler checks it against. */
export interface Typed {
  readonly type: string;
  readonly object: ObjectData;
}

/** For each object: whether the compiler accepts it as its type. */
export function judgedByCompiler(typed: readonly Typed[]): boolean[] {
  // One line per object, so that the line of an error identifies the object.
  const lines = typed.map(
    ({ type, object }, at) => `export const o${at} = ${JSON.stringify(object)} satisfies ${type};`,
  );
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = mkdtempSync(join(root, "dist/mutants-"));
  try {
    writeFileSync(join(folder, "objects.ts"), `${lines.join("\n")}\n`);
    const config = { extends: join(root, "tsconfig.json"), include: ["objects.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--noEmit", "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1 << 27,
    });
    const wrong = new Set(Array.from(stdout.matchAll(/^objects\.ts\((\d+),/gm), ([, line]) => Number(line) - 1));
    if (/^(?!objects\.ts\(| )./m.test(stdout)) throw new Error(stdout.slice(0, 2000));
    return typed.map((_one, at) => !wrong.has(at));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Whether the server accepts an object. Uses no code from furrow, only a plain request with the admin's certificate.
 */
export async function judgedByServer(
  server: ApiServer,
  path: string,
  object: ObjectData,
): Promise<{ readonly accepted: boolean; readonly message: string }> {
  const file = (name: string): Buffer => readFileSync(join(server.folder, name));
  const body = JSON.stringify(object);
  const [status, text] = await new Promise<[number, string]>((done, fail) => {
    const headers = { "content-type": "application/apply-patch+yaml", "content-length": Buffer.byteLength(body) };
    const tls = { ca: file("ca.crt"), cert: file("admin.crt"), key: file("admin.key") };
    const sent = request(`${server.url}${path}?fieldManager=judge&fieldValidation=Strict&dryRun=All`, {
      ...tls,
      method: "PATCH",
      headers,
    });
    sent.on("error", fail).on("response", (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (part: string) => (answer += part));
      response.on("end", () => done([response.statusCode ?? 0, answer]));
    });
    sent.end(body);
  });
  return { accepted: status < 300, message: (JSON.parse(text) as { message?: string }).message ?? "" };
}
