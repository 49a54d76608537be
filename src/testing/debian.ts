import { type Absent, absent } from "../core/facts/symbols.ts";
import type { GroupState, UserState } from "../facts/accounts/account.ts";

/** The folders of a small Debian host. */
export const debianFolders: ReadonlySet<string> = new Set(
  (
    "/ /boot /dev /etc /etc/apt /etc/apt/keyrings /etc/apt/sources.list.d /etc/cron.d /etc/default /etc/systemd " +
    "/etc/systemd/system /etc/sysctl.d /home /opt /root /run /srv /tmp /usr /usr/bin /usr/lib /usr/local " +
    "/usr/local/bin /usr/local/lib /usr/local/sbin /usr/sbin /usr/share /var /var/cache /var/lib /var/log /var/tmp"
  ).split(" "),
);

/** The files of a small Debian host that tasks often read or edit. */
export const debianTexts: Readonly<Record<string, string>> = {
  "/etc/fstab": "",
  "/etc/hostname": "simulated\n",
  "/etc/login.defs": "USERGROUPS_ENAB yes\n",
  "/etc/hosts": "127.0.0.1\tlocalhost\n127.0.1.1\tsimulated\n",
};

/** The kernel parameters that playbooks often set, with the kernel's defaults. The names are paths below /proc/sys. */
export const debianSysctls: Readonly<Record<string, string>> = {
  "fs/file-max": "9223372036854775807",
  "fs/inotify/max_user_instances": "128",
  "fs/inotify/max_user_watches": "65536",
  "kernel/dmesg_restrict": "1",
  "kernel/kptr_restrict": "0",
  "kernel/panic": "0",
  "kernel/panic_on_oops": "0",
  "kernel/pid_max": "4194304",
  "kernel/sysrq": "438",
  "kernel/unprivileged_userns_clone": "1",
  "net/core/rmem_max": "212992",
  "net/core/somaxconn": "4096",
  "net/core/wmem_max": "212992",
  "net/ipv4/conf/all/accept_redirects": "1",
  "net/ipv4/conf/all/forwarding": "0",
  "net/ipv4/conf/all/rp_filter": "0",
  "net/ipv4/conf/all/send_redirects": "1",
  "net/ipv4/conf/default/rp_filter": "0",
  "net/ipv4/ip_forward": "0",
  "net/ipv4/ip_local_port_range": "32768 60999",
  "net/ipv4/ip_unprivileged_port_start": "1024",
  "net/ipv4/tcp_fin_timeout": "60",
  "net/ipv4/tcp_keepalive_time": "7200",
  "net/ipv4/tcp_max_syn_backlog": "512",
  "net/ipv4/tcp_syncookies": "1",
  "net/ipv6/conf/all/disable_ipv6": "0",
  "net/ipv6/conf/all/forwarding": "0",
  "net/ipv6/conf/default/disable_ipv6": "0",
  "vm/dirty_ratio": "20",
  "vm/max_map_count": "65530",
  "vm/overcommit_memory": "0",
  "vm/swappiness": "60",
};

/** The names for which Debian's base-passwd has both a user and a group with the same number: `name:number`. */
const both =
  "root:0 daemon:1 bin:2 sys:3 lp:7 mail:8 news:9 uucp:10 proxy:13 www-data:33 backup:34 list:38 irc:39".split(" ");
const groups = new Map(
  (
    "adm:4 tty:5 disk:6 man:12 kmem:15 dialout:20 cdrom:24 floppy:25 tape:26 sudo:27 audio:29 dip:30 operator:37 " +
    "src:40 shadow:42 utmp:43 video:44 sasl:45 plugdev:46 staff:50 games:60 users:100 nogroup:65534"
  )
    .split(" ")
    .concat(both)
    .map(numbered),
);
const users = new Map("games:5 man:6 nobody:65534".split(" ").concat(both).map(numbered));
const homes: Readonly<Record<string, string>> = {
  root: "/root",
  daemon: "/usr/sbin",
  bin: "/bin",
  sys: "/dev",
  games: "/usr/games",
  man: "/var/cache/man",
  lp: "/var/spool/lpd",
  mail: "/var/mail",
  news: "/var/spool/news",
  uucp: "/var/spool/uucp",
  proxy: "/bin",
  "www-data": "/var/www",
  backup: "/var/backups",
  list: "/var/list",
  irc: "/run/ircd",
  nobody: "/nonexistent",
};

function numbered(entry: string): readonly [name: string, id: number] {
  const [name = "", id] = entry.split(":");
  return [name, Number(id)];
}

/** The primary group of one of Debian's own users. */
function primaryOf(user: string): string {
  return user === "nobody" ? "nogroup" : user;
}

/** A group from Debian's base-passwd; absent if base-passwd has no group with this name. */
export function debianGroup(name: string): Absent | GroupState {
  const gid = groups.get(name);
  return gid === undefined ? absent : { gid, primaryOf: [...users.keys()].filter((user) => primaryOf(user) === name) };
}

/** A user from Debian's base-passwd; absent if base-passwd has no user with this name. */
export function debianUser(name: string): Absent | UserState {
  const uid = users.get(name);
  if (uid === undefined) return absent;
  const shell = name === "root" ? "/bin/bash" : "/usr/sbin/nologin";
  const group = primaryOf(name);
  return { ...newUser(name), uid, group, member: { [group]: true }, home: homes[name] ?? `/home/${name}`, shell };
}

/** A new user with the values that useradd chooses. */
export function newUser(name: string): UserState {
  const member = { [name]: true } as const;
  return { uid: 1000, group: name, groups: [], member, home: `/home/${name}`, shell: "/bin/sh", comment: "" };
}
