import { type Case, yaml } from "./case.ts";

/** YAML and JSON inventories. */
export const yamlCases: readonly Case[] = [
  yaml(
    "groups in groups",
    "all:\n  hosts:\n    mail:\n  children:\n    web:\n      hosts:\n        web1:\n          a: 1\n        web2:\n    db:\n      hosts:\n        db[1:3]:\n      vars:\n        x: y\n",
  ),
  yaml(
    "values of YAML 1.1",
    `all:
  hosts:
    h:
      a: yes
      b: no
      c: on
      d: y
      e: 010
      f: 0o10
      g: 1_000
      h: 1:30
      i: 1e3
      j: 1.0e+3
      k: 0x1F
      l: ~
      m:
      n: 2024-01-02
      o: 2024-01-02T03:04:05Z
      p: 2024-01-02 03:04:05.25 +02:00
      q: "yes"
      r: !!str 1
      s: '1'
      t: 0b11
      u: 08
      v: 1.5.0
      w: .5
      x: -.5
      y: 12e03
      z: "=":
`.replace('      z: "=":\n', "      z: 0.\n"),
  ),
  yaml(
    "anchors, merges and aliases",
    `x-common: &common
  vars: &vars
    a: 1
    b: [1, 2]
web:
  <<: *common
  hosts:
    h1: &h
      c: 3
      d: {e: f}
    h2:
      <<: *h
      c: 4
    h3:
      c: 5
      <<: [*h, *vars]
`,
  ),
  yaml(
    "strings over many lines",
    "all:\n  hosts:\n    h:\n      a: |\n        one\n        two\n      b: >-\n        one\n        two\n      c: \"a\\tb\\u00e9\"\n      d: 'it''s'\n      e: plain text # comment\n      f: a#b\n      g: |+\n        x\n\n      h: >\n        x\n\n        y\n",
  ),
  yaml("sections that are strings", "web:\n  hosts: web1\ndb:\n  hosts: db1\n  children: sub\n"),
  yaml("null everywhere", "all:\n  hosts:\n  children:\n    web:\n    db:\n      hosts:\n        h:\n      vars:\n"),
  yaml(
    "a group that is given twice",
    "all:\n  children:\n    a:\n      children:\n        c:\n          hosts:\n            h: {x: 1}\n    b:\n      children:\n        c:\n          vars: {y: 2}\nc:\n  hosts:\n    h: {z: 3}\n    i:\n",
  ),
  yaml("keys that are numbers", "all:\n  hosts:\n    h:\n      1: one\n      m: {2: two, x: 1}\n      a: 2\n"),
  yaml("strange keys", "all:\n  hosts:\n    h:\n  vars:\n    a: 1\n  something: {x: 1}\nnothing:\nplain: text\n"),
  yaml(
    "ranges, ports and IPv6",
    'web:\n  hosts:\n    web[01:03]:2222:\n      a: 1\n    "[2001:db8::1]:22":\n    2001:db8::2:\n    "db-[a:c].example":\n',
  ),
  yaml(
    "JSON in a YAML file",
    '{"web": {"hosts": {"h1": {"a": [1, 2.5, null, true], "b": {"c": "d"}}}, "vars": {"x": "yes"}}}\n',
  ),
  {
    name: "a JSON file",
    files: { "hosts.json": '{"all": {"children": {"web": {"hosts": {"h1": null, "h2": {"ansible_port": 2222}}}}}}' },
    inventories: ["hosts.json"],
  },
  { name: "YAML without a file extension", files: { hosts: "---\nall:\n  hosts:\n    h1:\n    h2: {a: 1}\n" } },
  yaml(
    "deep lists and maps",
    'all:\n  vars:\n    users:\n      - name: a\n        keys: [k1, k2]\n        groups: {wheel: yes}\n      - {name: b}\n    empty_list: []\n    empty_map: {}\n    empty_text: ""\n  hosts:\n    h:\n',
  ),
  yaml(
    "priorities and depth",
    "all:\n  children:\n    a:\n      vars: {x: a, ansible_group_priority: 5}\n      hosts: {h: }\n    b:\n      vars: {x: b, y: b}\n      hosts: {h: }\n      children:\n        c:\n          vars: {y: c}\n          hosts: {h: }\n",
  ),
  yaml(
    "groups directly below all and elsewhere",
    "all:\n  children:\n    x:\n      hosts: {h1: }\n    y:\n      children:\n        x:\nz:\n  children:\n    x:\n",
  ),
  yaml(
    "templates",
    'all:\n  hosts:\n    h:\n      a: "{{ b }}"\n      c: "{% if x %}y{% endif %}"\n      d: ["{{ e }}"]\n',
  ),
  yaml(
    "times and numbers that are strings",
    'all:\n  hosts:\n    h:\n      a: 12:30:45\n      b: 190:20:30.15\n      c: 0.1.2\n      d: 1,000\n      e: +1\n      f: 1.\n      g: 09\n      h: 0777\n      i: "0777"\n      j: 1e+3\n      k: 6.02e+23\n      l: -0\n      m: 0x\n      n: Null\n      o: TRUE\n      p: tRue\n      q: Off\n',
  ),
];
