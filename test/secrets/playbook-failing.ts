/** Tasks that fail while they use a secret, most of them while they print it. */
import { playbook, secret, secretText, z } from "furrow";
import * as t from "furrow/tasks";

export default playbook({
  name: "Planted secrets, failing",
  vars: z.object({ token: secretText() }),
  plays: [
    {
      hosts: "all",
      become: true,
      tasks: ({ vars: { token } }) => {
        const on = { ignoreFailure: true };
        const stdin = `${secret.env("PLANTED_STDIN")}`;
        const WORD = `${secret.env("PLANTED_ENV")}`;
        return [
          t.command({ command: "tee /dev/stderr; exit 1", stdin, always: true }, on),
          t.command({ command: "base64 -w0; exit 1", stdin, always: true }, on),
          t.command({ command: "base64; exit 1", stdin: `x${stdin}`, always: true }, on),
          t.command({ command: 'echo $WORD; echo "$WORD" >&2; exit 1', env: { WORD }, always: true }, on),
          t.command({ command: 'printf %s "$WORD" | basenc --base16 -w0; exit 1', env: { WORD }, always: true }, on),
          t.command({ command: ["bash", "-c", "printf '%q\\n' \"$WORD\"; exit 1"], env: { WORD }, always: true }, on),
          t.command(
            { command: 'printf %s "$WORD"; exit 0', env: { WORD }, always: true },
            { ...on, name: `say ${token}` },
          ),
          t.command({ command: "echo nothing", env: { WORD }, unless: 'echo "$WORD" >&2; false', readOnly: true }, on),
          t.file({ path: "/etc/planted-not-there/file", content: `${token}\n` }, on),
          t.file({ path: "/proc/planted", content: `${token}\n` }, on),
          t.fileLine({ path: "/etc/planted-not-there", line: `${secret.env("PLANTED_LINE")}` }, on),
          t.user({ name: "daemon", group: "no-such-group", passwordHash: secret.env("PLANTED_HASH") }, on),
          t.download(
            {
              url: "http://127.0.0.1:9/none",
              path: "/tmp/planted-none",
              checksum: "none",
              tries: 1,
              headers: { Authorization: `${secret.env("PLANTED_HEADER")}` },
            },
            on,
          ),
          t.command({ command: "cat; exit 1", stdin: `${secret.env("PLANTED_FILE")}`, always: true }, on),
          t.command({ command: "cat >&2; exit 3", stdin: `${token}\n${stdin}`, always: true }),
          t.file({ path: "/etc/planted-not-there/last", content: `${token}\n` }),
        ];
      },
    },
  ],
});
