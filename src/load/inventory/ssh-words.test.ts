import { expect, test } from "vitest";
import { mergeHosts } from "../vars/precedence.ts";
import { addressOf } from "./address.ts";
import { sshWords } from "./ssh-words.ts";

const definition = {
  hosts: {
    lab: {
      address: "10.77.2.11",
      user: "admin",
      port: 2222,
      identityFile: "/keys/lab key",
      knownHostsFile: "/keys/known_hosts",
    },
    inner: { user: "admin", proxyJump: "front,ops@edge:2200" },
    front: { address: "2001:db8::1", user: "jumper" },
    configured: {},
    here: { transport: "local" as const },
  },
};
const hosts = new Map(mergeHosts(definition).map((host) => [host.name, host]));
const words = (name: string): string[] =>
  sshWords(hosts.get(name)!, addressOf(hosts.get(name)!, { hosts, sshConfig: () => ({ user: "from-config" }) }));

test("an ssh command has the inventory's user, port, identity file and known hosts", () => {
  const files = ["-i", "/keys/lab key", "-o", "UserKnownHostsFile=/keys/known_hosts"];
  expect(words("lab")).toEqual(["-p", "2222", ...files, "admin@10.77.2.11"]);
});

test("an ssh command has the jump hosts, each with its own user and port", () => {
  expect(words("inner")).toEqual(["-J", "jumper@[2001:db8::1],ops@edge:2200", "admin@inner"]);
});

test("an ssh command does not repeat settings from ssh_config, and is empty for the controller itself", () => {
  expect(words("configured")).toEqual(["configured"]);
  expect(words("here")).toEqual([]);
});
