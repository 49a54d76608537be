import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { originalScripts } from "./role.ts";

const cluster = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p" });
const book = (of = cluster) =>
  playbook({
    name: "original scripts alone",
    plays: [{ hosts: "all", become: true, tasks: () => [originalScripts({ cluster: of })] }],
  });
const outcomesOf = ({ tasks }: { readonly tasks: readonly { readonly outcome: string }[] }): string[] =>
  tasks.map(({ outcome }) => outcome);

test("leaves a fresh host unchanged", async () => {
  expect(outcomesOf(await simulate(book(), { hosts: ["metal"] }))).toEqual(["ok", "ok", "ok"]);
});

test("removes the scripts' leftovers once: their unit, every line of their watchdog and files that contain the token", async () => {
  const line = "*/2 * * * * /usr/local/bin/restart_harvester_vms_script.sh >> /var/log/watchdog.log 2>&1\n";
  const state = {
    metal: {
      "unit:socat-proxy.service": { state: "started" as const, enabled: true },
      "file:/etc/systemd/system/socat-proxy.service": { text: "[Unit]\n" },
      "crontab:root": { text: `0 3 * * * backup\n${line}${line}${line}` },
      "file:/srv/www/harvester/create_cloud_config.yaml": { text: "token: SecretToken.123\n" },
      "file:/srv/www/harvester/join_cloud_config_2.yaml": { text: "token: SecretToken.123\n" },
    },
  };
  const first = await simulate(book(), { hosts: ["metal"], state });
  expect(first.tasks.map(({ steps }) => steps)).toEqual([
    ["systemctl disable --quiet -- socat-proxy.service", "systemctl stop socat-proxy.service"],
    ["install the crontab of root"],
    [
      "remove /etc/systemd/system/socat-proxy.service",
      "remove /srv/www/harvester/create_cloud_config.yaml",
      "remove /srv/www/harvester/join_cloud_config_2.yaml",
    ],
  ]);
  expect(first.state["metal"]?.["crontab:root"]).toMatchObject({ text: "0 3 * * * backup\n" });
  expect(outcomesOf(await simulate(book(), { hosts: ["metal"], state: first.state }))).toEqual(["ok", "ok", "ok"]);
});

test("keeps a unit that forwards ports to the cluster if furrow does not forward them", async () => {
  const state = { metal: { "unit:socat-proxy.service": { state: "started" as const, enabled: true } } };
  const own = await simulate(book({ ...cluster, exposure: false }), { hosts: ["metal"], state });
  expect(outcomesOf(own)).toEqual(["ok", "ok"]);
});
