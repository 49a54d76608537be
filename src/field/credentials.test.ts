import { expect, test } from "vitest";
import { Pseudonyms } from "./names.ts";
import { Redactor } from "./redact.ts";
import { Texts } from "./texts.ts";

const redactor = (): Redactor => {
  const names = new Pseudonyms();
  return new Redactor(names, new Texts(names));
};

test.each([
  "password=12345",
  "Password: 12345",
  "PASSWORD = '12345'",
  "harvester.install.token=12345",
  '{"secret":"12345"}',
  "passphrase 12345",
  "the passphrase is 12345",
  "root_passwd=12345",
  "--api-key=12345",
  "api_key: 12345",
  "https://root:12345@127.0.0.1/",
  "token=v1",
  "password=harvester12345",
  "psk=12345",
  "password=10.12.3.45",
])("a short password of digits in a console log is not in the report: %s", (text) => {
  const word = /v1|10\.12\.3\.45|12345/;
  expect(redactor().texts.text(text)).not.toMatch(word);
  expect(JSON.stringify(redactor().value("file:/etc/fstab", { text, mode: "0644" }))).not.toMatch(word);
});

test("a password is not in the report even if it is a word that reports often contain", () => {
  expect(redactor().texts.text("password=harvester")).toBe("password=name1");
});

test.each([["password"], ["passphrase"], ["apiToken"], ["clientSecret"]])(
  "the digits of a part named %s are not in the report",
  (name) => {
    expect(JSON.stringify(redactor().value("http:x", { status: 200, [name]: "12345" }))).not.toContain("12345");
  },
);

test("the argument that follows --password is not in the report", () => {
  const argv = ["qemu", "--password", "12345", "--port", "5900"];
  expect(redactor().value("process:x", { argv })).toEqual({ argv: ["qemu", "--password", "name1", "--port", "5900"] });
});

test.each(["port=5900 vlan: 7 prefix/24", "vnc password set", '{"password":{"symbol":"secret"},"timeoutSeconds":30}'])(
  "keeps what a replay needs: %s",
  (text) => {
    expect(redactor().texts.text(text)).toBe(text);
  },
);
