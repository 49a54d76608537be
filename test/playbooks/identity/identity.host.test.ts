import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { covered } from "../../covered.ts";

const own = import.meta.dirname;
const root = join(own, "../../..");
const isPossible =
  process.getuid?.() === 0 &&
  spawnSync("python3", ["-c", "import yaml"]).status === 0 &&
  spawnSync("openssl").status !== null;
if (!isPossible)
  process.stderr.write("skipped: a cluster's identity on a real host needs root, python3-yaml and openssl\n");

const folder = mkdtempSync(join(tmpdir(), "furrow-identity-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs furrow on this machine, in a private network namespace and with a private /etc. Prints `== CODE` after each
 * run.
 */
const script = `set -e
ip link set lo up
mkdir ${folder}/etc; mount -t tmpfs tmpfs ${folder}/etc; mkdir ${folder}/etc/upper ${folder}/etc/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=${folder}/etc/upper,workdir=${folder}/etc/work /etc
export XDG_STATE_HOME=${folder}/state
furrow() { c=0; "$NODE" bin/furrow.js "$@" -i test/playbooks/identity/inventory.ts 2>&1 || c=$?; echo "== $c"; }
cluster() { echo "setsid python3 -B test/playbooks/identity/serve.py test/stand-in-node/guest ${folder}/$1 </dev/null >/dev/null 2>&1 & for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do curl -sk -o /dev/null https://127.0.0.1:9345/cacerts && exit; sleep 0.5; done"; }
export IDENTITY_START="cd ${root}; $(cluster first)"
furrow check test/playbooks/identity/playbook.ts
furrow run test/playbooks/identity/playbook.ts
furrow run test/playbooks/identity/playbook.ts
stat -c 'mode %a %U' /etc/furrow-harvester/harvester-1.fingerprint
openssl x509 -in ${folder}/first/kubernetes-ca.crt -noout -fingerprint -sha256 | tr -d : | tr A-F a-f
tr -d ' ' </etc/furrow-harvester/harvester-1.fingerprint | grep '"ca"'
grep -cF -e "$(cat ${folder}/state/furrow/generated/identity%2Ftoken)" /etc/furrow-harvester/harvester-1.fingerprint || :
echo "== record"
furrow check test/playbooks/identity/playbook.ts --var 'ntpServers=["ntp.example.com"]'
kill "$(cat ${folder}/first/pid)"; sleep 1
IDENTITY_START="cd ${root}; $(cluster second)"; sh -c "$IDENTITY_START"
furrow check test/playbooks/identity/playbook.ts
furrow run test/playbooks/identity/playbook.ts
kill "$(cat ${folder}/second/pid)"
`;

test.skipIf(!isPossible)(
  "records the cluster that starts during the run, keeps the record, and refuses the next cluster at the same address",
  { timeout: 600_000 },
  () => {
    const argv = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", script];
    const { stdout, stderr } = spawnSync("unshare", argv, {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, NODE: process.env["FURROW_TEST_NODE"] ?? process.execPath },
    });
    const [check, first, second, record, drift, otherCheck, otherRun] = stdout.split(/^== .*\n/m);
    const codes = [...stdout.matchAll(/^== (.*)$/gm)].map(([, code]) => code);
    expect({ codes, stderr }).toMatchObject({ codes: ["0", "0", "0", "record", "0", "1", "1"] });
    expect(check).toContain("would change  fingerprint of harvester-1");
    expect(first).toContain("changed      fingerprint of harvester-1");
    expect(second).toContain("0 changed, 5 ok");
    const lines = record?.trim().split("\n") ?? [];
    const digest = lines[1]?.split("=")[1];
    expect(lines).toEqual(["mode 600 root", expect.any(String), `"ca":"${digest}",`, "0"]);
    expect(digest).toMatch(/^[\da-f]{64}$/);
    expect(drift).toContain("stays as installed: 0.suse.pool.ntp.org; now requested: ntp.example.com");
    for (const refused of [otherCheck, otherRun]) {
      expect(refused).toContain(
        "the cluster that answers at 127.0.0.1 is not the one in which harvester-1 was installed",
      );
      expect(refused).toContain(`expected  the authority ${digest?.slice(0, 16)}`);
    }
    covered("a cluster's fingerprint, recorded and compared on a real host with real certificates");
  },
);
