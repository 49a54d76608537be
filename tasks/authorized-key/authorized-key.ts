import { absent, file, name, onlyRead, refuse, type Refusal, type Step, task, user, z } from "../../src/authoring.ts";
import { contentRead } from "../file/content-read.ts";
import { keyFault } from "./key-body.ts";
import { keyFiles } from "./key-files.ts";
import { parseKey, putKeys } from "./keys.ts";
import { notRead, otherPaths, stillWorks } from "./other-files.ts";

const keyText = z
  .string({ error: 'a public key, like "ssh-ed25519 AAAA… ana@laptop"' })
  .refine((text) => !text.includes("PRIVATE KEY"), "a public key; this is a private key, which must stay where it is")
  .refine(
    (text) => !text.trim().includes("\n") && parseKey(text)?.options === "",
    'one public key, like "ssh-ed25519 AAAA… ana@laptop", without options before it',
  );

const params = z
  .strictObject({
    user: name("a user", "rancher").describe("User who may log in with the keys"),
    key: z
      .union([keyText, z.array(keyText).min(1, "at least one public key")], { error: "a public key or a list of them" })
      .describe("Public key as in a .pub file, or a list of keys; the comments of keys are written too"),
    state: z
      .enum(["present", "absent"], { error: '"present" or "absent"' })
      .default("present")
      .describe(
        "Whether the keys are in .ssh/authorized_keys. `present` is refused if sshd does not read that file, `absent` if a key is in another file that sshd reads, such as .ssh/authorized_keys2",
      ),
    options: z
      .string({ error: "a string" })
      .regex(/^[^\n]*$/, "options as in sshd(8), on one line, like 'from=\"10.0.0.0/8\",no-pty'")
      .optional()
      .describe("Options for the keys, as in sshd(8); if not given, existing options are kept"),
    exclusive: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe(
        "Remove the user's other keys; refused if another file that sshd reads, such as .ssh/authorized_keys2, contains one",
      ),
  })
  .refine((p) => !(p.exclusive && p.state === "absent"), {
    path: ["exclusive"],
    message: "false, because with state `absent` no key would be left",
  })
  .superRefine((p, context) => {
    // A damaged key may already be in the file, so allow its removal.
    if (p.state === "absent") return;
    for (const [at, line] of [p.key].flat().entries()) {
      const key = parseKey(line);
      const fault = key && keyFault(key);
      if (fault === undefined) continue;
      const message = `a complete public key, copied from its .pub file; this one ${fault}`;
      context.addIssue({ code: "custom", path: typeof p.key === "string" ? ["key"] : ["key", at], message });
    }
  });

/** Adds public keys to a user's authorized_keys file, or removes them. */
export const authorizedKey = task({
  name: "authorizedKey",
  summary: "Add public keys to a user's authorized_keys, or remove them; other lines are kept",
  params,
  examples: [
    {
      user: "rancher",
      key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux ana@laptop",
    },
    {
      user: "root",
      key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux",
      state: "absent",
    },
  ],
  title: (p) => `authorizedKey of ${p.user}`,
  disturbs: () => [],
})
  .facts((p) => ({ user: user(p.user), sshd: keyFiles(p.user) }))
  .facts((p, { user, sshd }) => {
    const home = user === absent || user.home === "" ? undefined : user.home.replace(/\/$/, "");
    return {
      ...(home !== undefined && {
        home: file(home === "" ? "/" : home),
        folder: file(`${home}/.ssh`),
        keys: file(`${home}/.ssh/authorized_keys`, ["text"]),
      }),
      ...(user !== absent &&
        isRemoving(p) && { others: otherPaths(sshd, p.user, user).map((path) => onlyRead(file(path, ["text"]))) }),
    };
  })
  .want((p, { user, sshd, home, folder, keys, others = [] }) => {
    const present = p.state === "present";
    const wanted = (typeof p.key === "string" ? [p.key] : p.key).flatMap((text) => parseKey(text) ?? []);
    if (user !== absent && isRemoving(p)) {
      const isGiven = (blob: string): boolean => wanted.some((key) => key.blob === blob);
      const obstacle = stillWorks({ sshd, name: p.user, user }, others, (blob) => isGiven(blob) !== present);
      if (obstacle) return obstacle;
    }
    if (user === absent || home === absent || home === undefined) {
      return present ? noHome(p.user, user === absent ? undefined : user.home) : {};
    }
    // Through a symlink, the user could make root write to any path.
    for (const [path, found] of [
      [".ssh", folder],
      [".ssh/authorized_keys", keys],
    ] as const) {
      if (found !== absent && found?.type === "link") return isLink(p.user, path);
    }
    const unread = present && notRead(sshd, p.user, user);
    if (unread) return unread;
    const old = keys === absent || keys === undefined ? "" : (keys.text ?? "");
    const text = putKeys(old, { keys: wanted, options: p.options, present, exclusive: p.exclusive });
    if (!present && keys === absent) return {};
    const own = present ? { owner: p.user } : {};
    return {
      folder: present ? { type: "directory", mode: "0700", ...own } : undefined,
      keys: { type: "file", text, ...(present && { mode: "0600", ...own }) },
    };
  })
  .steps((_, { now, change, want }) => {
    if (now.user === absent || want.keys === undefined || typeof want.keys !== "object") return [];
    const folder = `${now.user.home.replace(/\/$/, "")}/.ssh`;
    const { text, mode, owner } = want.keys as { text: string; mode?: string; owner?: string };
    const own = owner === undefined ? {} : { owner, group: now.user.group };
    const directory: Step =
      now.folder === absent
        ? { step: "makeDirectory", path: folder, parents: false, mode: "0700", ...own }
        : { step: "setAttributes", path: folder, directory: true, mode: "0700", ...own };
    return [
      change.folder && directory,
      change.keys && {
        step: "writeFile",
        path: `${folder}/authorized_keys`,
        text,
        replaces: contentRead(now.keys),
        ...(mode !== undefined && { mode }),
        ...own,
      },
    ];
  });

/** True if keys must stop working, so they must not be in any other file either. */
function isRemoving({ state, exclusive }: z.output<typeof params>): boolean {
  return state === "absent" || exclusive;
}

function noHome(name: string, home: string | undefined): Refusal {
  return home === undefined
    ? refuse({
        code: "no-user",
        message: `the host has no user ${name}`,
        hint: `Put user({ name: "${name}" }) before this task`,
      })
    : refuse({
        code: "no-home",
        message: `the home directory ${home} of ${name} does not exist`,
        hint: `Put file({ path: "${home}", state: "directory", owner: "${name}" }) before this task`,
      });
}

function isLink(name: string, path: string): Refusal {
  return refuse({
    code: "keys-are-a-link",
    message: `${path} in the home directory of ${name} is a symlink, and writing through it could overwrite any file`,
    current: "link",
    hint: "Replace the link with the file itself",
  });
}
