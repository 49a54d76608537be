import { type Case, ini } from "./case.ts";

/** INI inventories. */
export const iniCases: readonly Case[] = [
  ini("hosts without a group", "web1\nweb2 ansible_host=192.0.2.2\n"),
  ini("groups and hosts", "lone\n[web]\nweb1\nweb2\n[db]\ndb1\nweb1\n"),
  ini(
    "children before they are declared",
    "[site:children]\nweb\ndb\n\n[db]\ndb1\n[web]\nweb1\n[top:children]\nsite\n[top:vars]\nlevel=top\n[site:vars]\nlevel=site\n",
  ),
  ini(
    "vars before their group",
    "[web:vars]\nport=80\n[web]\nweb1\n[all:vars]\nport=1\nzone=eu\n[ungrouped:vars]\nport=2\n",
  ),
  ini(
    "ranges with a step",
    "[web]\nweb[01:20:2].example\n[db]\ndb-[a:f]\ndb-[A:C]x[1:2]\nrack[0:1]-node[8:11]\n[odd]\nz[:3]\n",
  ),
  ini("ranges with a port", "[web]\nweb[1:3]:2222 a=1\n10.0.0.[1:3]:22\n10.0.0.9:22\n"),
  ini("addresses of IPv6", "[six]\n[2001:db8::1]:2022\n2001:db8::2\n[2001:db8::[a:c]]:22\n::1\n"),
  ini("names that end in what looks like a port", "[x]\ndb_:22\nweb1: a=1\n".replace("web1: a=1\n", "web-:33\n")),
  ini(
    "Python values",
    `h1 a=1 b=1.50 c=True d=None e=yes f=0644 g=0o644 h=0x1f i=1_000 j=-5 k=+5 l=1e3 m=.5 n=5. o=true p=00 q=-0
h2 a="[1, 2, 'x']" b="{'k': 1, 'l': [True, None]}" c="(1, 2)" d="'quoted'" e='"double"' f="'a' 'b'" g=1+2 h="b'bytes'"
h3 a="1 # one" b="foo # bar" c=[1,2 d={} e=[] f=() g="(1)" h="(1,)" i="1," j="r'\\d'" k="'\\x41\\u00e9\\101'" l=1__0 m=1_
`,
  ),
  ini(
    "Python values in a group's vars",
    `[g]
h1
[g:vars]
a=1 # a comment
b=foo # no comment
c = "x"   # a comment
d='it''s'
e="it's"
f=
g==x
h=a=b
i= [1, 2, 3]
j={"a": {"b": [1, 2]}, 'c': "d"}
k="unclosed
l=True # yes
m=not True
n=None
o=010
p=1.10
q="tab\\tnew\\nline"
r='''three'''
s=a b c
t=10:30
u=2024-01-02
v=--5
w=- 5
y=0b101
z="\\q \\8"
`,
  ),
  ini(
    "quotes and backslashes in host lines",
    String.raw`h1 a="x y" b='x "y"' c=x\ y d="x\"y" e="x\y" f=a"b c"d g="" h='' i=\\ j="\\" k=a\#b
h2 "a=x y" 'b c=1'
`,
  ),
  ini(
    "comments everywhere",
    "# c\n; c\n[web] # c\nweb1 a=1 # c\nweb2 a=x#y b=2\n   # c\n\t; c\n[top:children]   # c\nweb # c\n",
  ),
  ini("spaces, tabs and Windows line endings", "  [web]\r\n\tweb1\ta=1   b=2  \r\n\r\n [web:vars]\r\n  c  =  3  \r\n"),
  ini("group names with dashes and dots", "[web-servers]\na\n[web.eu]\nb\n[9]\nc\n[web-servers:vars]\nx=1\n[ü]\nd\n"),
  ini("a host and a group with the same name", "[web]\nweb\nother\n[web:vars]\na=1\n[db]\nweb b=2\n"),
  ini("a host listed several times", "[a]\nh x=1 y=1\n[b]\nh x=2\n[a]\nh z=3\nh\n"),
  ini("groups without hosts", "[a]\n[b:children]\na\n[c:vars]\nx=1\n[c]\n[d]\nh\n"),
  ini(
    "priorities",
    "[b]\nh\n[a]\nh\n[c]\nh\n[a:vars]\nx=a\nansible_group_priority=10\n[b:vars]\nx=b\ny=b\n[c:vars]\nx=c\ny=c\n",
  ),
  ini(
    "depth wins over name",
    "[z]\nh\n[a:children]\nz\n[m]\nh\n[a:vars]\nx=a\n[z:vars]\nx=z\n[m:vars]\nx=m\ny=m\n[z:vars]\ny=z\n",
  ),
  ini(
    "a diamond",
    "[bottom]\nh\n[left:children]\nbottom\n[right:children]\nbottom\n[up:children]\nleft\nright\n[left:vars]\nx=l\n[right:vars]\nx=r\n[up:vars]\nx=u\n[far:children]\nup\n",
  ),
  ini(
    "all and ungrouped written out",
    "[all]\na\nb\n[ungrouped]\nc\n[all:children]\nweb\n[web]\nb\n[top:children]\nweb\n[all:vars]\nx=1\n",
  ),
  ini("ungrouped hosts that are also in a group", "a\nb x=1\n[web]\na\n"),
  ini(
    "connection settings",
    `[web]
web1 ansible_host=192.0.2.1 ansible_port=2222 ansible_user=admin ansible_ssh_private_key_file=~/.ssh/web
web2 ansible_ssh_host=192.0.2.2 ansible_ssh_port=22 ansible_ssh_user=old ansible_connection=ssh
web3 ansible_connection=local ansible_become=yes ansible_become_method=su ansible_become_user=root
[web:vars]
ansible_user=www
ansible_ssh_common_args='-o ProxyJump=gate -o StrictHostKeyChecking=no'
ansible_python_interpreter=/usr/bin/python3
`,
  ),
  ini(
    "templates outside settings",
    `h a="{{ b }}" b=1 ansible_python_interpreter="{{ x }}"\n[g]\nh\n[g:vars]\nurl=http://{{ inventory_hostname }}/\n`,
  ),
  ini(
    "variables that Ansible reserves",
    "h groups=1 omit=2 inventory_dir=3 ansible_forks=4 ansible_check_mode=5 environment=6 ansible_version=7 playbook_dir=8 group_names=9\n",
  ),
  ini("letters from many languages", "[gruppe]\nhöst1 größe=groß\n日本 a=語\n[gruppe:vars]\nname=Žluťoučký kůň\n"),
  ini("localhost", "localhost ansible_connection=local\n127.0.0.1\n[web]\nlocalhost\n"),
  ini(
    "a list that is hard to read",
    "[web:children]\n[web]\n[db:vars]\n[db]\nh1\nh1 a=1\n[db:children]\nweb\n[web]\nh2\n[db]\nh3 b=[]\n",
  ),
  ini("children of ungrouped", "a\nb\n[in]\nc\n[ungrouped:children]\nin\n"),
];
