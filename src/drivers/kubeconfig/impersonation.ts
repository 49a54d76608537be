import { z } from "zod";
import { type Entry, issueText, says, wrong } from "./wrong.ts";

/** The headers for acting as another user. */
export type Impersonation = Readonly<Record<string, string | string[]>>;

const text = z.string();
const texts = z.array(text).nullish();
const schema = z.looseObject({
  as: text.nullish(),
  "as-uid": text.nullish(),
  "as-groups": texts,
  "as-user-extra": z.record(z.string().min(1), texts).nullish(),
});

/**
 * The headers for `as`, `as-uid`, `as-groups` and `as-user-extra`; undefined if there is no impersonation. Throws
 * FurrowError E_FILE if they are malformed or do not contain a user; kubectl refuses these too.
 */
export function impersonationOf(user: Entry, file: string): Impersonation | undefined {
  const result = schema.safeParse(user);
  if (!result.success) throw wrong(file, issueText(result.error.issues[0], ["user"]));
  const { as, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = result.data;
  if (as === undefined || as === null || as === "") {
    const alone = ["as-uid", "as-groups", "as-user-extra"].find((name) => says(user, name));
    if (alone === undefined) return undefined;
    throw wrong(
      file,
      `its user has ${alone} without as`,
      "Set the field as to the user to impersonate, or remove the other as-… fields",
    );
  }
  const headers: Record<string, string | string[]> = { "Impersonate-User": valueOf(as, "as", file) };
  if (uid) headers["Impersonate-Uid"] = valueOf(uid, "as-uid", file);
  if (groups?.length) headers["Impersonate-Group"] = groups.map((group) => valueOf(group, "as-groups", file));
  const extras: Record<string, string[]> = {};
  for (const [key, values] of Object.entries(extra ?? {})) {
    if (!values?.length) continue;
    // Servers read the key in lower case. If two headers differ only in case, Node sends only one of them.
    const name = `Impersonate-Extra-${escaped(key.toLowerCase())}`;
    extras[name] = [...(extras[name] ?? []), ...values.map((value) => valueOf(value, "as-user-extra", file))];
  }
  return { ...headers, ...extras };
}

/** Percent-encodes the characters that are not allowed in a header's name, byte by byte. */
function escaped(key: string): string {
  const legal = /^[!#$&'*+\-.^_`|~0-9A-Za-z]$/;
  const bytes = [...Buffer.from(key, "utf8")].map((byte) => [byte, String.fromCharCode(byte)] as const);
  return bytes
    .map(([byte, char]) => (legal.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`))
    .join("");
}

/** A header's value in UTF-8, as kubectl sends it, with one character for each byte: Node sends headers as Latin-1. */
function valueOf(value: string, name: string, file: string): string {
  if (/\p{Cc}/u.test(value)) throw wrong(file, `its user's ${name} has a control character`);
  return Buffer.from(value, "utf8").toString("latin1");
}
