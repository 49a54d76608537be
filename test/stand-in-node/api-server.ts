import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guestFolder } from "./userland.ts";

/** Starts the API of a stand-in with three nodes, without the other parts of a node, and prints its port. */
const script = `
import sys, threading, time
sys.path.insert(0, sys.argv[1])
folder = sys.argv[2]
import cluster
cluster.STORE = folder + "/cluster.json"
# No node reports that it is alive.
cluster.SILENCE = 3600
from certificates import authority, certificate
authority(folder, "kubernetes-ca")
certificate(folder, "kubernetes", "kubernetes-ca", "/CN=kube-apiserver", ["DNS:kubernetes"])
certificate(folder, "admin", "kubernetes-ca", "/O=system:masters/CN=system:admin", use="clientAuth")
from api import Kubernetes, Server
known = cluster.Cluster()
for number in (1, 2, 3):
    known.hear({"name": f"harvester-{number}", "role": "default", "address": "192.0.2.1", "secret": str(number)}, True)
for number in range(501):
    machine = {"metadata": {"namespace": "many", "name": f"vm-{number}"}, "spec": {"template": {"spec": {}}}}
    known.objects.setdefault("/apis/kubevirt.io/v1/virtualmachines", {})[f"vm-{number}"] = machine
from upgrade import work
known.settings["server-version"] = "v1.8.1"
known.holds = True
threading.Thread(target=work, args=(known, 0.3), daemon=True).start()
server = Server(0, Kubernetes, folder + "/kubernetes", known, "token", {}, folder + "/kubernetes-ca.crt")
print(server.server_port, flush=True)
server.serve_forever()
`;

/** True if the programs that the API needs are installed. */
export const hasPrograms = existsSync("/usr/bin/python3") && existsSync("/usr/bin/openssl");

/**
 * Starts the API in a folder, in a separate process.
 *
 * @returns the path of an administrator's kubeconfig, and a function that ends the process
 */
export async function standInApi(folder: string): Promise<{ readonly kubeconfig: string; readonly stop: () => void }> {
  const kubeconfig = join(folder, "kubeconfig");
  const started = spawn("/usr/bin/python3", ["-B", "-c", script, guestFolder, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(started.stdout, "data")) as [Buffer];
  const data = (name: string): string => readFileSync(join(folder, name)).toString("base64");
  const config = {
    "current-context": "default",
    contexts: [{ name: "default", context: { cluster: "default", user: "default" } }],
    clusters: [
      {
        name: "default",
        cluster: {
          server: `https://127.0.0.1:${port.toString().trim()}`,
          "certificate-authority-data": data("kubernetes-ca.crt"),
          "tls-server-name": "kubernetes",
        },
      },
    ],
    users: [
      {
        name: "default",
        user: { "client-certificate-data": data("admin.crt"), "client-key-data": data("admin.key") },
      },
    ],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return { kubeconfig, stop: () => void started.kill() };
}
