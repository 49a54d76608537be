/** Returns the name of the field that a seal protects: `password` for `passwordSeal`. Returns other names unchanged. */
export function sealed(path: string): string {
  return path.replace(/(?<=[^.])Seal$/, "");
}

/** True for fields that must not be shown: seals, and the content and the hashes of a secret fact. */
export function isHidden(path: string, secret: boolean): boolean {
  return sealed(path) !== path || (secret && /(^|\.)(text|seal|sha256|value|content|xml)$/.test(path));
}

/** Returns the text that is shown in place of a secret field: `password (secret)`. */
export function hiddenField(path: string): string {
  return `${sealed(path) === path ? "content" : sealed(path)} (secret)`;
}
