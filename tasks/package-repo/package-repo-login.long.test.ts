import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { converge } from "../../test/packages/converge.ts";
import { openPackageRoot, type PackageRoot } from "../../test/packages/root.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { pkg } from "../package/package.ts";
import { packageRepo } from "./package-repo.ts";

const password = "hunter2$HOME'\"\\&";
/** A server that serves /srv on port 8076 to clients that send the login, and logs nothing. */
const server = `
import base64, http.server
right = "Basic " + base64.b64encode(("me:" + open("/run/password").read()).encode()).decode()
class Guarded(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.headers.get("Authorization") == right: return super().do_GET()
        self.send_response(401); self.send_header("WWW-Authenticate", 'Basic realm="x"'); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", 8076), Guarded).serve_forever()
`;
const changed = { checked: ["changed"], ran: ["changed"] };
const setUps = [
  {
    id: "debian",
    repo: { manager: "apt", name: "private", uris: ["http://127.0.0.1:8076/deb"], suites: ["./"], trusted: true },
    description: "/etc/apt/sources.list.d/private.sources",
    login: "/etc/apt/auth.conf.d/private.conf",
  },
  {
    id: "opensuse-leap",
    repo: { manager: "zypper", name: "private", url: "http://127.0.0.1:8076/rpm", gpgCheck: false },
    description: "/etc/zypp/repos.d/private.repo",
    login: "/etc/zypp/credentials.d/private",
  },
  {
    id: "fedora",
    repo: { manager: "dnf", name: "private", url: "http://127.0.0.1:8076/rpm", gpgCheck: false },
    description: "/etc/yum.repos.d/private.repo",
    login: "/etc/dnf/vars/furrow_private_password",
  },
] as const;

describe.each(setUps)("a repository that asks for a password, on $id", ({ id, repo, description, login }) => {
  let root: PackageRoot;
  let host: TaskHost;
  const say = (text: string) => packageRepo({ ...repo, login: { user: "me", password: secretOf(text, "repo") } });

  beforeAll(async () => {
    root = await openPackageRoot(id);
    host = taskHost([...root.enter, "sh"]);
    await root.sh("rm -f /etc/apt/sources.list; echo 'Acquire::Retries 0;' >/etc/apt/apt.conf.d/zz-once");
    await root.sh(
      `printf '%s' "$1" >/run/password; cd /srv; (exec python3 -c "$2") >/dev/null 2>&1 & echo $! >/run/served; sleep 1`,
      password,
      server,
    );
  }, 900_000);
  afterAll(async () => {
    await root.sh("kill $(cat /run/served)");
    root.close();
  });

  test("is used, and its password appears only in one file that only root can read, and in no event", async () => {
    const checked = await host.check(say(password), pkg({ name: "hello" }));
    expect(await converge(host, say(password))).toEqual(changed);
    const ends = await host.apply(...(id === "debian" ? [] : [pkg({ name: "shell" })]), pkg({ name: "hello" }));
    expect(ends.at(-1)?.outcome).toBe("changed");
    expect(JSON.stringify([checked, ends])).not.toContain("hunter2");
    expect((await root.sh(`stat -c %a ${login} ${description}`)).output).toBe("600\n644\n");
    const { output } = await root.sh("grep -rlF hunter2 /etc /var/lib /var/log /var/cache 2>/dev/null");
    expect(output.split("\n").filter(Boolean)).toEqual([login]);
  });

  test("is restored if a new password is refused, and changed by the next run with the right one", async () => {
    const before = (await root.sh(`cat ${description} ${login}`)).output;
    const [end] = await host.apply(say("wrong-password"));
    expect(end?.error?.code).toBe("E_STEP");
    expect(JSON.stringify(end?.error?.failure)).toContain("was restored, because the index could not be fetched");
    expect((await root.sh(`cat ${description} ${login}`)).output).toBe(before);
    expect((await root.sh("ls /var/lib/furrow/trial")).output).toBe("");
    expect((await converge(host, say(password))).checked).toEqual([expect.stringMatching(/ok|changed/) as string]);
  });

  test("is refused if its password contains a space, and the password is not printed", async () => {
    const [end] = await host.apply(say("hunter2 two"));
    expect(end?.error?.code).toBe("E_PARAMS");
    expect(JSON.stringify(end)).not.toContain("hunter2");
  });

  test("is removed together with its password", async () => {
    expect(await converge(host, packageRepo({ manager: repo.manager, name: "private", state: "absent" }))).toEqual(
      changed,
    );
    expect((await root.sh(`ls ${description} ${login} 2>/dev/null`)).output).toBe("");
  });
});

describe("a changed repository", () => {
  let root: PackageRoot;
  let host: TaskHost;
  const repo = { manager: "apt", name: "moves", uris: ["file:///srv/deb"], suites: ["./"], trusted: true } as const;
  const file = "/etc/apt/sources.list.d/moves.sources";

  beforeAll(async () => {
    root = await openPackageRoot("debian");
    host = taskHost([...root.enter, "sh"]);
    await root.sh("rm -f /etc/apt/sources.list");
    await converge(host, packageRepo(repo));
  }, 900_000);
  afterAll(() => root.close());

  test("is restored if its index cannot be fetched, so that other apt commands still work", async () => {
    const before = (await root.sh(`cat ${file}`)).output;
    const away = packageRepo({ ...repo, uris: ["file:///srv/nowhere"] });
    for (const _run of ["first", "again"]) {
      const [end] = await host.apply(away);
      expect(end?.error?.code).toBe("E_STEP");
      expect((await root.sh(`cat ${file}`)).output).toBe(before);
    }
    expect((await host.check(away)).map(({ outcome }) => outcome)).toEqual(["changed"]);
    expect((await root.sh("apt-get update")).code).toBe(0);
  });

  test("is also restored by a rerun if a run was interrupted between changing it and fetching its index", async () => {
    const before = (await root.sh(`cat ${file}`)).output;
    const kept = "/var/lib/furrow/trial/apt-moves";
    await root.sh(`mkdir -p ${kept}; cp -p ${file} ${kept}/1; : >${kept}/2; : >${kept}/3`);
    await root.sh(`sed -i 's,/srv/deb,/srv/nowhere,' ${file}`);
    const [end] = await host.apply(packageRepo({ ...repo, uris: ["file:///srv/nowhere"] }));
    expect(end?.error?.code).toBe("E_STEP");
    expect((await root.sh(`cat ${file}`)).output).toBe(before);
  });
});
