import { encodeText } from "../../core/host/bytes.ts";
import { seal, secretOf } from "../../core/secrets/secret.ts";

const hidden = new Map<string, string>();

/**
 * The content of a secret file in a form that a task may work with: text that is a single secret, so no sink prints it.
 * The same content at the same path always gives the same text.
 */
export function hiddenText(path: string, content: string): string {
  const id = `${path} ${seal(encodeText(content))}`;
  const known = hidden.get(id) ?? String(secretOf(content, path));
  hidden.set(id, known);
  return known;
}
