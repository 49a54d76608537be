import { expect, test } from "vitest";
import { clusterSchema } from "./cluster.ts";

const given = { disks: ["/dev/a"], token: "t", password: "p" };
const problems = (more: object): string[] =>
  clusterSchema.safeParse({ ...given, ...more }).error?.issues.map(({ path }) => path.join(".")) ?? [];

test.each(["203.0.113.10", "cluster.example.com", "my_host", "2001:db8::1", "::1", "host."])(
  "accepts the public address %s",
  (publicAddress) => {
    expect(problems({ publicAddress })).toEqual([]);
  },
);

test.each(["", "x|w /etc/own\n#", "a&b", "a b", "a/b", "[::1]", "1:2", "a\\1", "$(id)", "a@b", "exämple.com"])(
  "refuses the public address %j, which a command or a URL would misread",
  (publicAddress) => {
    expect(problems({ publicAddress })).toEqual(["publicAddress"]);
  },
);

test.each(["", "a\nb", "a\rb", "a\0b", "a\u001B[2J"])("refuses the path %j for a kubeconfig", (to) => {
  expect(problems({ kubeconfig: { to } })).toEqual(["kubeconfig.to"]);
});

test("accepts a path with spaces and non-ASCII letters for a kubeconfig", () => {
  expect(problems({ kubeconfig: { to: "~/Müller & co/kube config.yaml" } })).toEqual([]);
});
