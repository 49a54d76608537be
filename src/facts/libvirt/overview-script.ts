import { connection, runsByPid } from "./script.ts";

/**
 * An awk program that reads the XML of networks and domains as libvirt prints it, with one element per line and single
 * quotes. The program prints one line for each resource that a network or domain uses. The program includes only disks
 * that are written to and not shared, and only the top image of a backing chain.
 */
const claims = `function at(name, s) { s = $0; if (!sub(".*[ ]" name "='", "", s)) return ""; sub("'.*", "", s); return s }
function say(key, value) { if (value != "") print type "\\t" name "\\t" key "\\t" value }
function bits(mask, p, i, n) { split(mask, p, "."); n = 0; for (i = 1; i <= 4; i++) while (p[i] > 0) { n += p[i] % 2; p[i] = int(p[i] / 2) } return n }
/^@furrow/ { running = $2 == "active"; own = $3 == "own"; next }
/^<network[ >]/ { type = "network" }
/^<domain[ >]/ { type = "domain" }
/^  <name>/ { name = $0; sub(/ *<name>/, "", name); sub(/<\\/name>.*/, "", name); say("active", running ? "yes" : "no"); next }
type == "network" && /^  <uuid>/ { say("autostart", own ? "yes" : "no") }
type == "network" && /^  <bridge / { say("bridge", at("name")) }
type == "network" && /^  <ip / && at("family") != "ipv6" { p = at("prefix"); if (p == "") p = at("netmask") == "" ? 24 : bits(at("netmask")); say("subnet", at("address") "/" p) }
/^    <disk / { disk = 1; file = ""; shared = at("device") == "cdrom" || at("device") == "floppy" }
disk && /^      <source / { file = at("file"); if (file == "") file = at("dev") }
disk && /^      <(readonly|shareable)\\/>/ { shared = 1 }
/^    <\\/disk>/ { if (!shared) say("disk", file); disk = 0 }
/^    <interface / { nic = 1 }
nic && /^      <source / { say("network", at("network")); if (at("network") == "") say("bridge", at("bridge")) }
/^    <\\/interface>/ { nic = 0 }`;

/**
 * The script of the libvirt overview, which answers question `number`. If the daemon does not answer, the script reads
 * libvirt's own files, because networks and guests outlive their daemon.
 */
export function overviewScript(number: number): string {
  return `links=$(ip -o -4 addr show 2>/dev/null | awk '{ print $2, $4 }')
o=
for i in /sys/class/net/*; do
i=\${i##*/} a=$(printf '%s\\n' "$links" | awk -v i="\${i##*/}" '$1 == i { printf " %s", $2 }')
o="$o;$i$a"
done
echo "${number} links=\${o#;}"
command -v virsh >/dev/null || { echo "${number} daemon=none"; exit 0; }
things() {
if [ -n "$l" ]; then
b=$(printf '%s\\n' "$l" | awk '
/^@furrow/ { part++; next }
NF == 0 { next }
part == 0 || part == 2 { active[$1] = 1; next }
part == 4 { own[$1] = 1; next }
{ thing[++count] = $1; dump[count] = part == 1 ? "dumpxml" : "net-dumpxml" }
END { for (i = 1; i <= count; i++) {
u = thing[i]; mark = "echo @furrow " ((u in active) ? "active" : "idle") " " ((u in own) ? "own" : "") ";"
printf "%s%s --inactive %s;", mark, dump[i], u
if (dump[i] == "dumpxml" && (u in active)) printf "%s%s %s;", mark, dump[i], u } }')
[ -n "$b" ] && virsh -c ${connection} "$b" 2>/dev/null </dev/null
return
fi
d=/etc/libvirt/qemu
for f in "$d"/networks/*.xml "$d"/*.xml; do
[ -f "$f" ] || continue
n=\${f##*/} n=\${n%.xml} a=idle o=
case $f in
"$d"/networks/*) [ -e "/run/libvirt/network/$n.xml" ] && a=active;;
*) ${runsByPid("n")} && a=active;;
esac
[ -e "\${f%/*}/autostart/$n.xml" ] && o=own
echo "@furrow $a $o"
cat "$f"
done
}
l=$(virsh -c ${connection} 'list --uuid;echo @furrow;list --all --uuid;echo @furrow;net-list --uuid;echo @furrow;net-list --all --uuid;echo @furrow;net-list --all --autostart --uuid' 2>&1 </dev/null) || {
echo "${number} daemon=down"
echo "${number} problem=$(printf %s "$l" | sed -n 's/^error: *//p' | tr '\\n' ' ' | sed 's/ *$//')"
l=
}
[ -n "$l" ] && echo "${number} daemon=up"
things | awk '${claims.replaceAll("'", `'\\''`)}' | sort -u |
awk '{ printf "${number} thing.%05d=%s\\n", NR - 1, $0 }'`;
}
