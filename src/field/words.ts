/** Directories and files that every Linux host has, or that come with the roles' programs. */
const places =
  "bin boot cron d dev etc fstab home lib lib32 lib64 libexec local log machine id media mnt opt proc root run sbin " +
  "share src srv sys tmp usr var cache spool lock mail spool www html tftp tftpboot misc default by path uuid " +
  "label partuuid partlabel disk mapper block class net fs mqueue shm pts hugepages host ssl certs ca certificates ssh " +
  "profile profiles conf config service socket timer target mount slice wants requires system network systemd";

/** The words in the values of facts: states, types, modes, file systems and their options. */
const states =
  "self all absent active activating deactivating failed inactive reloading running exited dead listening waiting elapsed " +
  "plugged mounted auto restart loaded masked not found error bad setting enabled disabled static indirect generated " +
  "alias transient linked runtime started stopped between simple notify oneshot forking dbus exec idle up down none " +
  "yes no on off true false symbol unknown secret file directory link other partition mapped start middle end raw " +
  "qcow2 gpt dos mbr swap ext2 ext3 ext4 xfs btrfs vfat tmpfs nfs nfs4 cifs iso9660 squashfs overlay LVM2 member " +
  "linux raid luks crypto LUKS zfs ambivalent holder process loop copy defaults noauto nofail ro rw relatime noatime " +
  "nosuid nodev noexec umask subvol errors remount x device timeout before after lazytime discard data sync async user owner proc sysfs Y N ordered sw pri " +
  "enforce enforcing permissive complain kill unconfined mixed daemon zone ACCEPT DROP REJECT accept drop reject rule " +
  "family ipv4 ipv6 port protocol tcp udp icmp source destination address service name priority value log prefix " +
  "masquerade forward http https dns dhcp dhcpv6 tftp ntp client ssh cockpit public external internal trusted dmz work";

/** The words of AppArmor's profiles (apparmor.d(5)) that rules about paths need. */
const confinement =
  "abi include flags attach disconnected deny audit allow owner r w rw rwk rk rm rmix mr ix px ux Px Ux Cx pix k l m " +
  "TFTP DIR HOME HOMEDIRS multiarch pid pids PROC sys etc ro rwlk tunables abstractions base nameservice peer signal " +
  "receive send capability network inet inet6 packet dgram stream netlink unix dnsmasq virt aa helper usr libvirt";

/** Distributions, architectures and package managers. */
const systems =
  "debian ubuntu suse sles opensuse leap tumbleweed slowroll sle micro rhel fedora centos rocky almalinux arch alpine " +
  "x86 64 x86_64 amd64 aarch64 arm64 i386 apt dpkg rpm zypper dnf yum pacman apk GNU Linux generic default cloud azure";

/** The programs, packages and files of a Harvester host, and Harvester's own words. */
const harvester =
  "harvester rancher rke2 longhorn kubernetes kubeconfig cluster node nodes furrow iso vmlinuz initrd rootfs kernel " +
  "releases com sha256 sha512 md5 checksum boot ipxe efi grub uefi bios ovmf qemu kvm vhost libvirt libvirtd virsh " +
  "virtqemud virtnetworkd virt image t tftpdir virtlogd bridge vlan vlan1 dnsmasq nginx mime types chrony chronyd cron " +
  "crontab curl wget parted socat nftables nft table inet iptables firewalld apparmor selinux semanage sh bash busybox " +
  "fingerprint maintenance vnc password set rebuilt datadisk1 datadisk2 datadisk3 datadisk4 datadisk5 installer ping " +
  "guestregister registercloudguest cloudinit init cloud GET HEAD POST url timeoutSeconds maxBytes redirects insecure " +
  "lines code message status body headers content length type application octet stream text plain pong curl simulated";

/** The words in errors that Node and libuv report for a failed request. */
const errors =
  "getaddrinfo getnameinfo connect read write socket hang up request host dns ENOTFOUND EAI AGAIN NODATA NONAME " +
  "ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EPIPE EPROTO " +
  "EADDRNOTAVAIL EADDRINUSE EACCES EPERM ENOENT EEXIST ENOTDIR EISDIR ELOOP ENOSPC EROFS EIO EMFILE ENOMEM EBUSY " +
  "ESOCKETTIMEDOUT CERT HAS EXPIRED";

/** Users and groups that come with distributions. */
const accounts =
  "root daemon nobody nogroup users wheel sudo adm tty disk kmem www data messagebus systemd resolve timesync polkitd " +
  "tss sshd qemu libvirtd";

/**
 * The words that a report from any host can contain, in one list so that they are easy to review. Anything else in a
 * report's texts is a number, a word that the playbook itself uses in a query, or a replacement.
 */
export const baseWords: ReadonlySet<string> = new Set(
  [places, states, confinement, systems, harvester, errors, accounts].join(" ").split(" "),
);

/**
 * The device names of the kernel and libvirt, which consist of a type and numbers: `sda1`, `nvme0n1p2`, `eth0`,
 * `enp3s0`, `virbr0`.
 */
export const deviceName =
  /^(?:[shv]d[a-z]{1,2}\d{0,3}|xvd[a-z]\d{0,3}|nvme\d{1,2}(?:n\d{1,2}(?:p\d{1,3})?)?|(?:loop|md|dm|sr|zram|eth|br|bond|virbr|vnet|tap|lo|p)\d{0,4}|en[ospx]\d{1,3}(?:[fsnd]\d{1,3}){0,3}|ttyS\d|part\d{1,3})$/;

/** The names that furrow itself gives to parts of facts and vars. A test compares the list with the types of facts. */
export const partNames: ReadonlySet<string> = new Set(
  (
    "accepted active address addresses ageMinutes algorithm alone anchors architecture archive argv armed at " +
    "attributes automount autostart because body boot bootFile bootServer bridge bridges bundle bus bytes " +
    "caCert candidate carriesRoot changed chars check checkpoints checksum checksums children clash code comment " +
    "complete config connection cpu cwd daemon data deadlineSeconds defaults denied denies device devices " +
    "dhcp directories directory disk diskBytes diskGiB disks diskUuid dnsmasqOptions domain domains downgrades " +
    "dropIn elsewhere empty enabled ending entries error exitCode expected facts file files fileSystem filled " +
    "fingerprint firmware firstNode flags foreign format forward from fromFiles gid gives group groups " +
    "guests hasBacking head headers held hidden holders holds home hostname hosts id ids imported in index " +
    "indexFiles initrd inKernel inode insecure installs interfaces intervalSeconds invocation ip is iso " +
    "kernel kind kvm label lasting later layout lease libvirt like line linkAt links list listed listen lists live local " +
    "load loaded locked losesTpm lost mac machine machineType manager manual masked master maxBytes maxMtu md5 member " +
    "memoryBytes memoryMiB message mode model more mounted mountedAt mounts mtu name names near needed " +
    "network networks node notAfter notBefore noted offset onCrash onReboot open options origin os outdated " +
    "owner packages parameters parent partial partitions partitionUuid password passwordSeal path " +
    "paths pattern pem permanent permissions persistent port ports prefix present primaryOf probe problem " +
    "processes processors program providedBy providers ranges readOnly real reason recommends redirects " +
    "references refusesStart refusesStop reloadable reloadedWith removes renderers resolvers right rootfs routes rules running " +
    "runtime said saved seal sections sector sectorBytes serial serialLog services settings sha1 sha256 " +
    "sha384 sha512 shell shut signatures since size sizeBytes sizeGiB slow source staleInitramfs stamped start " +
    "ssh startedBefore startedWith state status sticky sub subject subnets synchronized systemd table tail " +
    "target text tftpRoot timeoutSeconds times trusted type uid unit units unlike up upgrades url user uses " +
    "uuid value variable vcpus version versions vip virsh vlan vnc words write wwn xml zone"
  ).split(" "),
);
