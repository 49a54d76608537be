/**
 * Spells out both cases of every letter. The modifier `(?i:…)` does the same, but Node 24 sometimes ignores it in a
 * process that has run for a while, and a report would then show a password.
 */
function anyCase(source: string): string {
  return source.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** The words before a credential, in any letter case: `password=…`, `"apiToken": "…"`. */
const words = [
  anyCase("password|passwd|passphrase|passcode|pwd|token|secret|credentials?|api[-_]?key|psk"),
  // The word must not follow a letter, because `bypass` and `compass` also end in `pass`.
  `(?<![a-zA-Z])${anyCase("pass")}`,
].join("|");
/** What may follow such a word in the name of a credential: `token_id`, `passwords`. */
const rest = String.raw`[\w-]{0,20}`;

/**
 * The source of a regular expression for a credential in text: anything that follows `password=` or `password:`, a word
 * with digits after `password` or `password is`, and the password in a URL. JSON's null, true, false, lists and objects
 * are not credentials. Needs the flag u.
 */
export const credential = [
  String.raw`(?<=(?:${words})${rest}["']?\s*[=:]\s*["']?)(?!["']|(?:null|true|false)\b)[^\s"'&,;<>{}[\]]+`,
  String.raw`(?<=(?:${words})\s+(?:is\s+)?["']?)(?=[^\s"'&,;<>{}[\]]*\d)[^\s"'&,;<>{}[\]]+`,
  String.raw`(?<=:\/\/[^\s\/:@"']{0,80}:)[^\s\/@"']+(?=@)`,
].join("|");

const named = new RegExp(`(?:${words})${rest}$`, "u");

/** True for the name of a part or of an argument that contains a credential: `passphrase`, `--password`. */
export function namesCredential(name: string): boolean {
  return named.test(name);
}
