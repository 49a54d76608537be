/** The words that a credential follows, in any letter case: `password=…`, `"apiToken": "…"`. */
const words = "password|passwd|passphrase|passcode|(?<![a-z])pass|pwd|token|secret|credentials?|api[-_]?key|psk";
/** What may follow such a word in the name of a credential: `token_id`, `passwords`. */
const rest = String.raw`[\w-]{0,20}`;

/**
 * The source of a regular expression for a credential in text: what follows `password=` or `password:`, a word with
 * digits after `password` or `password is`, and the password in a URL. JSON's null, true, false, lists and objects are
 * not credentials. Needs the flag u.
 */
export const credential = [
  String.raw`(?<=(?i:${words})${rest}["']?\s*[=:]\s*["']?)(?!["']|(?:null|true|false)\b)[^\s"'&,;<>{}[\]]+`,
  String.raw`(?<=(?i:${words})\s+(?:is\s+)?["']?)(?=[^\s"'&,;<>{}[\]]*\d)[^\s"'&,;<>{}[\]]+`,
  String.raw`(?<=:\/\/[^\s\/:@"']{0,80}:)[^\s\/@"']+(?=@)`,
].join("|");

const named = new RegExp(`(?i:${words})${rest}$`, "u");

/** True for the name of a part or of an argument that contains a credential: `passphrase`, `--password`. */
export function namesCredential(name: string): boolean {
  return named.test(name);
}
