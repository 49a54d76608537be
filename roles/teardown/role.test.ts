import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate, type SimulatedState } from "../../src/testing/index.ts";
import { nginxConf, nginxDropIn } from "../boot-server/templates.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { teardown } from "./role.ts";

const cluster = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p" });
const book = playbook({
  name: "teardown alone",
  plays: [
    {
      hosts: "all",
      become: true,
      tasks: () => [teardown({ cluster, removeDisks: false, publicAddress: "203.0.113.10" })],
    },
  ],
});
const conf = "file:/etc/nginx/nginx.conf";
const dropIn = "file:/etc/systemd/system/nginx.service.d/furrow.conf";

test("leaves an nginx that can start: its configuration names no address of the removed network", async () => {
  const state: SimulatedState = {
    [conf]: { text: nginxConf(cluster, "www-data") },
    [dropIn]: { text: nginxDropIn("libvirtd") },
  };
  const first = await simulate(book, { hosts: ["metal"], state: { metal: state } });
  expect(first.result.errors).toEqual([]);
  const { text = "" } = (first.state["metal"]?.[conf] ?? {}) as { readonly text?: string };
  expect(text).toMatch(/^user www-data;$/m);
  expect(text).toContain("include /etc/nginx/sites-enabled/*;");
  expect(text).not.toContain(cluster.network.address);
  expect(text).not.toContain("/srv/www/harvester");
  expect(first.tasks.map(({ title }) => title)).toContain("file /etc/systemd/system/nginx.service.d/furrow.conf");
  const second = await simulate(book, { hosts: ["metal"], state: first.state });
  expect(second.tasks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("leaves an nginx configuration that is not furrow's alone", async () => {
  const own = "events {}\nhttp { server { listen 8080; root /srv/own; } }\n";
  const { state } = await simulate(book, { hosts: ["metal"], state: { metal: { [conf]: { text: own } } } });
  expect(state["metal"]?.[conf]).toMatchObject({ text: own });
});
