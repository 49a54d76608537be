import { isSecretName, notShown } from "../../core/secrets/secret-schema.ts";

/** The message of an API without the values that it quotes from a request and that may be secret. */
export function withoutValues(message: string): string {
  return withoutInvalid(withoutGot(withoutContext(message)));
}

/** Removes the excerpt of the request, with parts of values, that Kubernetes' JSON parser quotes around an error. */
function withoutContext(message: string): string {
  return message.replace(/,? error found in #\d+ byte of \.\.\.\|[^]*$/, "");
}

/**
 * Removes the values of a wrong type that a typed patch quotes: `.data.pin: expected string, got &{…}`. A value may
 * contain anything, even line breaks, so the message is cut off at the first one. A later line is kept, without its
 * values, only if it looks like another such error.
 */
function withoutGot(message: string): string {
  const at = message.search(/, got (?:&|value\.)/);
  if (at === -1) return message;
  const others = [
    ...message.slice(at).matchAll(/^ {2}(\.\S+: (?:expected [a-z ()]+(?=, got |$)|field not declared in schema$))/gm),
  ];
  return [message.slice(0, at), ...others.map(([, other]) => `  ${other}`)].join("\n");
}

/** Removes wrong values of fields with a secret name: `spec.password: Invalid value: "x": it is too short`. */
function withoutInvalid(message: string): string {
  let shown = "";
  let left = message;
  for (;;) {
    const found = /([^\s:]+): (?:Invalid|Unsupported|Duplicate) value: /.exec(left);
    if (found === null) return shown + left;
    const [before, field = ""] = found;
    const begin = found.index + before.length;
    shown += left.slice(0, begin);
    left = left.slice(begin);
    if (!isSecretName(field.replaceAll(/[[\]"']/g, "."))) continue;
    shown += notShown;
    left = left.replace(oneValue, "");
  }
}

/**
 * A quoted string, a number, or a word; any other value has no recognizable end, so the whole rest of the message
 * counts as the value.
 */
const oneValue = /^(?:"(?:[^"\\]|\\.)*"|-?[\d.]+(?![^:,\s\]])|true\b|false\b|null\b|[^]*$)/;
