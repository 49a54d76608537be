/** Secrets in every place that accepts a secret. Each round changes all secrets, so every run has changes to show. */
import { generated, isSecret, playbook, secret, secretText, z } from "furrow";
import * as t from "furrow/tasks";

const { PLANTED_WEB = "", PLANTED_COPY = "" } = process.env;

export default playbook({
  name: "Planted secrets",
  vars: z.object({ token: secretText(), round: z.coerce.string() }),
  plays: [
    {
      hosts: "all",
      become: true,
      tasks: ({ vars: { token, round } }) => {
        const [file, line, stdin] = ["PLANTED_FILE", "PLANTED_LINE", "PLANTED_STDIN"].map((name) => secret.env(name));
        const large = `${secret.env("PLANTED_LARGE")} ${round}\n`.concat("filler\n".repeat(12_000));
        return [
          t.assert({ that: [{ check: isSecret(token), message: "the token must be secret" }] }),
          t.file({ path: "/etc/planted", state: "directory", mode: "0700" }),
          t.file({ path: "/etc/planted/token", content: `token=${token} ${round}\n`, mode: "0600" }),
          t.file({ path: "/etc/planted/json", content: token.map((text) => JSON.stringify({ text, round })) }),
          t.file({ path: "/etc/planted/file", content: `${file}\n${round}\n` }),
          t.file({ path: "/etc/planted/large", content: large }),
          t.file({ path: "/etc/planted/made", content: `${generated("planted")} ${round}\n` }),
          t.fileLine({
            path: "/etc/planted/lines",
            line: `${line} ${round}`,
            // This must not match the line in the block, or the two tasks would undo each other.
            match: "^l1ne.* [0-9]$",
            create: true,
            mode: "0600",
          }),
          t.fileBlock({ path: "/etc/planted/lines", block: `${line} in a block\n${round}\n` }),
          t.command({ command: ["dd", "of=/etc/planted/stdin", "status=none"], stdin: `${stdin}`, always: true }),
          t.command({
            command: ["dd", "of=/tmp/planted-stdin", "status=none"],
            stdin: `${stdin}`,
            user: "nobody",
            always: true,
          }),
          t.command({ command: 'test -n "$WORD"', env: { WORD: `${secret.env("PLANTED_ENV")}` }, always: true }),
          t.user({ name: `planted${round}`, passwordHash: secret.env("PLANTED_HASH") }),
          t.download({
            url: `${PLANTED_WEB}/motd`,
            path: `/etc/planted/motd${round}`,
            checksum: "none",
            headers: { Authorization: `${secret.env("PLANTED_HEADER")}` },
          }),
          t.fetch({ path: "/etc/planted/token", to: PLANTED_COPY, secret: true }),
        ];
      },
    },
  ],
});
