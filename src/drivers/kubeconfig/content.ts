import { load, YAMLException } from "js-yaml";
import { z } from "zod";
import { issueText, wrong } from "./wrong.ts";

const named = <T extends z.ZodType>(name: string, inner: T) => z.looseObject({ name: z.string(), [name]: inner });

const schema = z.looseObject({
  "current-context": z.string().default(""),
  contexts: z.array(named("context", z.looseObject({ cluster: z.string(), user: z.string() }))),
  clusters: z.array(
    named(
      "cluster",
      z.looseObject({
        server: z.url(),
        "certificate-authority": z.string().optional(),
        "certificate-authority-data": z.string().optional(),
        "tls-server-name": z.string().optional(),
        "insecure-skip-tls-verify": z.boolean().optional(),
      }),
    ),
  ),
  users: z.array(
    named(
      "user",
      z.looseObject({
        "client-certificate": z.string().optional(),
        "client-certificate-data": z.string().optional(),
        "client-key": z.string().optional(),
        "client-key-data": z.string().optional(),
        token: z.string().optional(),
        tokenFile: z.string().optional(),
      }),
    ),
  ),
});

/** The content of a kubeconfig, with all its contexts. */
export type KubeconfigContent = z.output<typeof schema>;

/** The most recently parsed file and its content: a kubeconfig is read again for each change. */
let parsedLast: { readonly file: string; readonly bytes: Buffer; readonly content: KubeconfigContent } | undefined;

/** Parses a kubeconfig. Throws FurrowError E_FILE, which gives the position of the error and quotes nothing. */
export function contentOf(bytes: Buffer, file: string): KubeconfigContent {
  if (parsedLast?.file === file && parsedLast.bytes.equals(bytes)) return parsedLast.content;
  const result = schema.safeParse(valueOf(bytes, file));
  if (!result.success) throw wrong(file, issueText(result.error.issues[0]));
  parsedLast = { file, bytes, content: result.data };
  return result.data;
}

function valueOf(bytes: Uint8Array, file: string): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrong(file, "it is not UTF-8 text");
  }
  try {
    return text.trim() === "" ? undefined : load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    if (mark === undefined) throw wrong(file, "it is not a single YAML document");
    const fault = reason.includes("alias") ? "has an alias that cannot be resolved" : "is not valid YAML";
    throw wrong(file, `line ${mark.line + 1} ${fault}`);
  }
}
