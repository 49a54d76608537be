import { isSecretName } from "./secret-schema.ts";

/** A URL in a string. The lookbehind keeps the time linear in the length of the text. */
const urls = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>]*/gi;

/**
 * A scheme and what follows it up to the last at sign before the path. A password with a slash makes the URL invalid,
 * but the error must not show that password either. Therefore, anything but a port may follow the colon.
 */
const login = /^([a-z0-9+.-]+:\/\/)(?:([^/?#:@[]*)(:(?!\d*(?:[/?#]|$)).*)?|[^/?#]*)@/i;

/** Schemes whose user without a password is only a name: `ssh://git@host`. */
const namesUser = /ssh|sftp|rsync/i;

/**
 * A parameter of a URL. It is secret if it signs the URL (S3, Google Cloud Storage, Azure, CloudFront), or if its name
 * says so.
 */
const parameters = /([?&;])([^=?&;#\s]+)=([^&;#\s]*)/g;
const signature = /^sig$|(?:^|[_-])signature$/i;

/**
 * Returns a string without the secrets in its URLs: a password, a user without a password, which is a token
 * (`https://TOKEN@host`), and the parameters that sign a URL or have the name of a secret.
 */
export function withoutUrlSecrets(text: string): string {
  if (!text.includes("://")) return text;
  return text.replaceAll(urls, (url) =>
    url
      .replace(login, (_all, scheme: string, user: string | undefined, password: string | undefined) => {
        if (user !== undefined && password !== undefined) return `${scheme}${user}:…@`;
        return namesUser.test(scheme) && user !== undefined ? `${scheme}${user}@` : `${scheme}…@`;
      })
      .replaceAll(parameters, (all, sign: string, name: string) =>
        signature.test(name) || isSecretName(name) ? `${sign}${name}=…` : all,
      ),
  );
}

/** True if a string has a URL with a secret. */
export function holdsUrlSecret(text: string): boolean {
  return withoutUrlSecrets(text) !== text;
}

/**
 * A password or token that is shorter than this, or that may be a word, is hidden only together with its URL's user.
 */
const shortestAlone = 6;
const mayBeWord = /^[a-z]{0,11}$/i;

/**
 * The strings to hide if a text should be a URL but may be malformed: the user with the password, or the token with its
 * at sign, and also the password or the token alone. A password or token that is short, or that may be an ordinary
 * word, is not hidden alone, because it may occur in any output. Empty for a text without an at sign.
 */
export function loginsIn(text: string): readonly string[] {
  const [, own = ""] = /^(?:[a-z0-9+.-]+:\/\/)?(.+)@/i.exec(text) ?? [];
  const colon = own.indexOf(":");
  const secret = own.slice(colon + 1);
  if (secret === "") return [];
  const alone = [secret, decoded(secret)].filter((one) => one.length >= shortestAlone && !mayBeWord.test(one));
  return [colon === -1 ? `${own}@` : own, ...alone];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // The password contains a % that encodes nothing.
    return part;
  }
}
