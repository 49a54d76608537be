import { randomBytes } from "node:crypto";

const fresh = (): string => randomBytes(9).toString("base64url");

/**
 * The secrets of one test run. The secrets are new each time, so the search finds no remains of an earlier run. They
 * contain every character that some encoding treats specially.
 */
export const planted = {
  var: `v4r & tök=n "${fresh()}" 'x' $HOME \\n /+%`,
  file: `-----BEGIN SECRET-----\nfirst line of ${fresh()}\n\tsecond "line" of ${fresh()}\n-----END SECRET-----`,
  large: `large <${fresh()}> content`,
  line: `l1ne: ${fresh()} "quoted" $(id)`,
  stdin: `std'in ${fresh()} \`id\``,
  env: `env "${fresh()}" 100%`,
  header: `Bearer ${fresh()}${fresh()}`,
  hash: `$6$salt$${fresh()}${fresh()}/`,
  become: `bec0me '${fresh()}' "${fresh()}" \\ $x`,
  passphrase: `phr4se ${fresh()} "of" the key`,
} as const;

/** The name of a planted secret. */
export type PlantedName = keyof typeof planted;

/** The environment variables from which the playbook and the inventory read the secrets. */
export function plantedEnv(): Record<string, string> {
  return Object.fromEntries(Object.entries(planted).map(([name, value]) => [`PLANTED_${name.toUpperCase()}`, value]));
}
