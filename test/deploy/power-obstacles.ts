import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clusterLists } from "../../roles/cluster-answers/answers.ts";
import { instanceOf, volumeOf } from "../guards/examples.ts";
import type { Deployment } from "../playbooks/deployment.ts";
import { ask, remove } from "../playbooks/kubernetes.ts";

/** The address of the only node. */
export const nodeAddress = "192.168.130.11";
const vip = "192.168.130.120";

/** Something on the real host or its node that stops a shutdown or a restart. */
export interface Obstacle {
  readonly name: string;
  put(deployment: Deployment): Promise<unknown>;
  /** Removes the obstacle, as a user who follows the error would. */
  clear(deployment: Deployment): Promise<unknown>;
  /** The cause, as the error names it. */
  readonly cause: RegExp;
  /** What to do, according to the error. */
  readonly todo: RegExp;
  /** True if check mode cannot detect the obstacle. */
  readonly isHidden?: true;
}

/** An obstacle that a script on the host creates and another script removes. */
function onHost(
  name: string,
  put: string,
  clear: string,
  says: Pick<Obstacle, "cause" | "todo" | "isHidden">,
): Obstacle {
  return { name, put: (one) => one.inHost(`set -e\n${put}`), clear: (one) => one.inHost(`set -e\n${clear}`), ...says };
}

/** An obstacle that consists of objects in the cluster. */
function objects(name: string, list: keyof typeof clusterLists, all: Record<string, object>, cause: RegExp): Obstacle {
  const { path } = clusterLists[list];
  return {
    name,
    put: async ({ kubeconfig }) => {
      for (const one of Object.values(all)) await ask(kubeconfig, path, one);
    },
    clear: async ({ kubeconfig }) => {
      for (const one of Object.keys(all)) await remove(kubeconfig, `${path}/${one}`);
    },
    cause,
    todo: /Shut them down first|Stop what uses them/,
  };
}

const sickApi = readFileSync(join(import.meta.dirname, "sick-api.py"), "utf8");
const forward = "socat TCP-LISTEN:6443,fork,reuseaddr";

/** A faulty API server in place of the real one. */
function sick(name: string, fault: string, cause: RegExp, todo: RegExp): Obstacle {
  return {
    name,
    put: async (deployment) => {
      await deployment.onNode(
        nodeAddress,
        `cat >/tmp/sick.py <<'END'
${sickApi}
END
: >/tmp/sick.log
(sudo -n setsid sh -c 'echo $$ >/tmp/sick.pid; exec python3 -B /tmp/sick.py ${fault}' >/tmp/sick.log 2>&1 </dev/null &)
for try in $(seq 120); do grep -q ready /tmp/sick.log && exit; sleep 1; done; cat /tmp/sick.log; exit 1`,
      );
      await deployment.inHost(`systemctl stop harvester-expose-6443
setsid ${forward} TCP:${nodeAddress}:6444 >/dev/null 2>&1 </dev/null & echo $! >/run/sick.pid; sleep 1`);
    },
    clear: async (deployment) => {
      await deployment.inHost("kill $(cat /run/sick.pid); systemctl start harvester-expose-6443");
      await deployment.onNode(nodeAddress, "sudo -n kill $(cat /tmp/sick.pid)");
    },
    cause,
    todo,
  };
}

const sockets = "libvirtd.socket libvirtd-ro.socket libvirtd-admin.socket";
const libvirtDown = onHost(
  "libvirt does not answer",
  `systemctl stop ${sockets} libvirtd`,
  `systemctl start ${sockets} libvirtd; virsh list >/dev/null`,
  { cause: /libvirt's daemon does not answer/, todo: /systemctl start libvirtd/ },
);

const markerIsFolder = onHost(
  "a directory has taken the place of the marker",
  "cd /etc; [ ! -e furrow-maintenance ] || mv furrow-maintenance furrow-maintenance.own; mkdir furrow-maintenance",
  "cd /etc; rmdir furrow-maintenance; [ ! -e furrow-maintenance.own ] || mv furrow-maintenance.own furrow-maintenance",
  { cause: /furrow-maintenance is not a text file/, todo: /Find out who created it/ },
);

/** The obstacles that make a shutdown fail before it changes anything. */
export const beforeShutdown: readonly Obstacle[] = [
  objects(
    "a virtual machine does not stop, because its migration hangs",
    "instances",
    {
      web: {
        ...instanceOf("web", "harvester-1"),
        metadata: {
          namespace: "default",
          name: "web",
          deletionTimestamp: "2026-01-01T00:00:00Z",
          finalizers: ["foregroundDeleteVirtualMachine"],
        },
      },
    },
    /virtual machines are running: default\/web/,
  ),
  objects(
    "a volume stays attached while it rebuilds a replica, and another one never finishes detaching",
    "volumes",
    { "pvc-1": volumeOf("pvc-1", "attached", "degraded"), "pvc-2": volumeOf("pvc-2", "detaching") },
    /volumes are in use: pvc-1 \(attached\), pvc-2 \(detaching\)/,
  ),
  sick(
    "the API server fails after the first query",
    "503",
    /volumes and Harvester's upgrades cannot be read \(HTTP 503: etcdserver/,
    /harvester-status/,
  ),
  sick(
    "the API server does not accept the kubeconfig",
    "401",
    /HTTP 401: Unauthorized/,
    /kubeconfig of an administrator/,
  ),
  sick("the certificate is not yet valid", "early", /certificate is not yet valid/, /clock/),
  libvirtDown,
  markerIsFolder,
  onHost(
    "the host's root has become read-only",
    "mount --bind /etc /etc; mount -o remount,bind,ro /etc",
    "umount /etc",
    { cause: /read-only/i, todo: /writable|read-only/i },
  ),
  onHost(
    "the host's disk is full",
    `cp -a /etc/furrow-harvester /run/kept; mount -t tmpfs -o size=32k,mode=755 none /etc/furrow-harvester
cp -a /run/kept/. /etc/furrow-harvester; dd if=/dev/zero of=/etc/furrow-harvester/fill bs=4k 2>/dev/null || :`,
    "umount /etc/furrow-harvester; rm -r /run/kept",
    { cause: /No space left on device/, todo: /No space left on device/, isHidden: true },
  ),
];

const image = "/mnt/datadisk1/harvester-data.qcow2";

/** Another machine at the cluster's address, with its own HTTPS server and certificate authority. */
const foreign: Pick<Obstacle, "put" | "clear"> = onHost(
  "foreign",
  `mkdir -p /run/foreign/www; cd /run/foreign; printf pong >www/ping
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=other -days 9 -keyout key -out crt 2>/dev/null
cp crt www/cacerts; cd www
ip netns add foreign; ip link add foreign0 type veth peer name foreign1 netns foreign
ip link set foreign0 master virbr1 up; ip -n foreign addr add ${vip}/24 dev foreign1
ip -n foreign link set foreign1 up; ip -n foreign link set lo up
for port in 443 9345; do
setsid ip netns exec foreign openssl s_server -quiet -accept $port -cert ../crt -key ../key -WWW >/dev/null 2>&1 </dev/null &
done
until curl -sk https://${vip}/ping && curl -sk https://${vip}:9345/cacerts; do sleep 0.5; done >/dev/null`,
  "for one in $(ip netns pids foreign); do kill $one; done; ip netns del foreign; rm -r /run/foreign; ip neigh flush dev virbr1",
  { cause: /./, todo: /./ },
);

const otherCluster = new RegExp(`the cluster that answers at ${vip} is not the one in which harvester-1 was installed`);

/** The obstacles that make a restart fail before it starts a node. */
export const beforeRestart: readonly Obstacle[] = [
  onHost(
    "the definition of the node is gone",
    "virsh -q dumpxml --inactive --security-info harvester-1 >/run/defined.xml; virsh -q undefine harvester-1 --keep-nvram",
    "virsh -q define /run/defined.xml; virsh -q autostart harvester-1",
    { cause: /libvirt has no virtual machine harvester-1/, todo: /define it again/ },
  ),
  onHost("the data disk is not mounted", "umount /mnt/datadisk1", "mount /mnt/datadisk1", {
    cause: /\/mnt\/datadisk1/,
    todo: /[Mm]ount/,
  }),
  onHost("the nodes' network is not active", "virsh -q net-destroy vlan1", "virsh -q net-start vlan1", {
    cause: /vlan1/,
    todo: /net-start|[Ss]tart/,
  }),
  onHost(
    "another program holds the node's disk image",
    `setsid qemu-io -c 'sleep 3600000' ${image} >/dev/null 2>&1 </dev/null & echo $! >/run/holder.pid; sleep 2`,
    "kill $(cat /run/holder.pid); sleep 1",
    {
      cause: /Failed to get .{0,2}write.{0,2} lock/,
      todo: /then rerun: running nodes are left alone/,
      isHidden: true,
    },
  ),
  libvirtDown,
  markerIsFolder,
  {
    ...foreign,
    name: "another cluster answers at the cluster's address",
    cause: otherCluster,
    todo: /Find out which machine/,
  },
];

/** The obstacle that appears only after a node has been started. */
export const foreignCluster: Obstacle = {
  ...foreign,
  name: "another cluster answers once the node is on",
  cause: otherCluster,
  todo: /then rerun: running nodes are left alone/,
};

/** The obstacle that is noticed only while the node is running. */
export const noNetwork: Obstacle = onHost(
  "the node's network does not work",
  `virsh -q dumpxml --inactive --security-info harvester-1 >/run/defined.xml
virsh -q domif-setlink harvester-1 52:54:00:68:76:01 down --config`,
  "virsh -q define /run/defined.xml; virsh -q domif-setlink harvester-1 52:54:00:68:76:01 up",
  { cause: /no answer \(.*192\.168\.130\.120.*harvester-1/, todo: /then rerun: running nodes are left alone/ },
);
