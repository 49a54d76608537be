import { resolve } from "node:path";
import { z } from "zod";
import type { Driver } from "../../core/host/driver.ts";
import { optimizeAll } from "../../core/optimizer.ts";
import type { KubeDocument, KubeDocuments } from "../../facts/controller/kube-documents.ts";
import { documentsIn } from "./documents.ts";
import { ManifestProblem } from "./problem.ts";
import { readSource } from "./sources.ts";

const question = z.union([
  z.strictObject({ path: z.string().min(1), recursive: z.boolean() }),
  z.strictObject({ text: z.string() }),
  z.strictObject({ url: z.url({ protocol: /^https$/ }), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
]);

/**
 * Reports which Kubernetes objects are in a manifest: a file or directory on the controller, a string, or a URL. Throws
 * FurrowError E_FILE if a file cannot be read.
 */
export const manifestDriver: Driver = {
  name: "manifest",
  read: (request, signal) => answer(question.parse(request), signal),
  ahead(request) {
    const asked = question.parse(request);
    if (!("path" in asked)) return [];
    const root = resolve(asked.path);
    return [`file:${root}`, `file:${root}/**`];
  },
};

/**
 * The objects of each recently parsed text: a run reads a manifest several times, and parsing takes most of that time.
 */
const known = new Map<string, { readonly text: string; readonly documents: readonly KubeDocument[] }>();

/** The number of texts that are cached. */
const mostKnown = 100;

/** A string of this many characters (a thousand objects or more) takes longer to parse than a run takes to start. */
const largeText = 500_000;

function knownDocuments(text: string, name: string): readonly KubeDocument[] {
  const last = known.get(name);
  if (last?.text === text) return last.documents;
  if (text.length >= largeText) optimizeAll();
  const documents = documentsIn(text, name);
  if (known.size >= mostKnown) known.clear();
  known.set(name, { text, documents });
  return documents;
}

async function answer(source: z.output<typeof question>, signal: AbortSignal): Promise<KubeDocuments> {
  try {
    const texts = await readSource(source, signal);
    const lists = texts.map(({ name, text }) => knownDocuments(text, name));
    const [only] = lists;
    const documents = lists.length === 1 && only !== undefined ? only : lists.flat();
    if (documents.length > 0) return { documents };
    const what = "path" in source ? source.path : "url" in source ? source.url : "the text";
    throw new ManifestProblem("no-object", `${what} contains no object`, "Correct the manifest, or remove the task");
  } catch (error) {
    if (error instanceof ManifestProblem) return { problem: error.problem };
    throw error;
  }
}
