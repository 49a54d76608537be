import { absolutePath, text, z } from "../../src/authoring.ts";
import { ipv4Number } from "../../src/facts/catalogue.ts";
import { spelled } from "./spelling.ts";

/** A lower-case RFC 1123 subdomain, at most 253 characters. */
export const subdomain = (): z.ZodType<string, string> =>
  z
    .string()
    .max(253, "at most 253 characters")
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
      'a host name in lower case (RFC 1123), like "harvester-1"',
    );

/** An IPv4 address, the only kind that the installer accepts. */
export const address = (): z.ZodType<string, string> =>
  z.string().refine((value) => ipv4Number(value) !== undefined, 'an IPv4 address, like "192.168.130.11"');

/** The name of a Kubernetes label: `[prefix/]name`, in which the name has up to 63 characters. */
const labelName = z.string().refine((name) => {
  const parts = name.split("/");
  const [prefix, last = ""] = parts.length === 1 ? [undefined, parts[0]] : [parts[0], parts[1]];
  const fits = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(last);
  return parts.length < 3 && fits && (prefix === undefined || subdomain().safeParse(prefix).success);
}, 'the name of a label, like "topology.kubernetes.io/zone"');
const labelValue = z
  .string()
  .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/, "the value of a label: letters, digits, -, _ and .");

const persistentPath = absolutePath().refine(
  (path) => !/^\/tmp(\/|$)/.test(path),
  "an absolute path that is not below /tmp",
);

const writtenFile = spelled({
  path: absolutePath().describe("Path of the file on the node"),
  content: text().describe("Content; may contain secrets"),
  encoding: z.enum(["", "b64", "base64", "gz", "gzip", "gz+base64", "gzip+base64", "gz+b64", "gzip+b64"]).optional(),
  owner: z.string().optional().describe("USER:GROUP"),
  permissions: z
    .string()
    .regex(/^[0-7]{3,4}$/, 'an octal mode in quotes, like "0600"')
    .optional(),
});

const disks = z.array(z.strictObject({ vendor: z.string(), product: z.string() }));

/** The installer reads these keys only as they are written here: its mapper does not convert them. */
const multiPath = z.union([
  disks,
  z.strictObject({
    blacklist: disks.optional(),
    blacklistWwids: z.array(z.string()).optional(),
    blacklistExceptions: disks.optional(),
    blacklistExceptionWwids: z.array(z.string()).optional(),
  }),
]);

/**
 * The options in the `os` part that clusters use; all are optional (Harvester docs, "Harvester Configuration", `os.*`).
 */
export const osOptions = {
  sshd: spelled({ sftp: z.boolean().optional(), disable_password_auth: z.boolean().optional() })
    .optional()
    .describe("The nodes' SSH daemon"),
  ntp_servers: z.array(z.string().min(1)).optional().describe("Time servers"),
  dns_nameservers: z.array(address()).optional().describe("Name servers; required if addresses are static"),
  modules: z.array(z.string().min(1)).optional().describe("Kernel modules to load"),
  sysctls: z.record(z.string(), z.string()).optional().describe("Kernel parameters"),
  environment: z.record(z.string(), text()).optional().describe("Environment variables of the system, such as proxies"),
  labels: z.record(labelName, labelValue).optional().describe("Labels of the Kubernetes node"),
  write_files: z.array(writtenFile).optional().describe("Files to write"),
  after_install_chroot_commands: z
    .array(z.string().min(1))
    .optional()
    .describe("Commands to run in the installed system"),
  persistent_state_paths: z.array(persistentPath).optional().describe("Paths that survive a reboot"),
  external_storage_config: spelled({ enabled: z.boolean().optional(), multi_path_config: multiPath.optional() })
    .optional()
    .describe("External storage, through multipath"),
  additional_kernel_arguments: z.string().optional().describe("Kernel arguments, kept across upgrades"),
};

/** A key that Harvester's documentation shows by mistake, with the reason for refusing it. */
export const misprints: Readonly<Record<string, string>> = {
  write_filespersistent_state_paths:
    "a misprint in Harvester's documentation, which the installer ignores; write persistent_state_paths",
};

/** The `os` part of a node's configuration. */
export const osPart = spelled(
  {
    hostname: subdomain().describe("The node's name"),
    password: text()
      .optional()
      .refine((value) => value !== "", "a password or its crypt hash")
      .describe("Password of the user rancher: clear text or a crypt(5) hash; may be secret"),
    ssh_authorized_keys: z.array(z.string().min(1)).optional().describe("Public keys, or github:USER"),
    ...osOptions,
  },
  { refused: misprints },
).refine((os) => os.password !== undefined || (os.ssh_authorized_keys ?? []).length > 0, {
  path: ["ssh_authorized_keys"],
  message: "a key or a password: without either, nobody could log in",
});
