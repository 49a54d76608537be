import { describe, expect, it } from "vitest";
import type { Difference } from "../../core/facts/compare.ts";
import type { FactChange, Mode } from "../../core/events.ts";
import { absent } from "../../core/facts/symbols.ts";
import { paintFor } from "../text/colours.ts";
import { changeLines } from "./changes.ts";

const paint = paintFor(false);

function change(fact: string, ...differences: readonly Difference[]): FactChange {
  return { fact, differences, secret: false };
}

function shown(
  changes: readonly FactChange[],
  title = "a task",
  options: { diff?: boolean; mode?: Mode } = {},
): string[] {
  return changeLines(changes, title, { diff: false, mode: "check", paint, ...options });
}

describe("a unit restart", () => {
  const seen = (path: string): Difference => ({ path, from: absent, to: { sha256: "1f", type: "file" } });
  const conf = seen("startedWith.file:/etc/nginx/nginx.conf");

  it("names the changed files, not the startedWith fields", () => {
    const unit = change("unit:nginx.service", conf);
    expect(shown([unit], "service nginx")).toEqual(["would restart: /etc/nginx/nginx.conf is newer"]);
    expect(shown([unit], "service nginx", { mode: "apply" })).toEqual(["restarted: /etc/nginx/nginx.conf is newer"]);
  });

  it("names each newer item once, even for a reload", () => {
    const parts = [
      { path: "startedWith.sysctl:vm.swappiness.", from: "1", to: "2" },
      { path: "startedWith.file:/etc/a.conf.d/x.sha256", from: "1", to: "2" },
      { path: "startedWith.file:/etc/a.conf.d/x.mode", from: "1", to: "2" },
      { path: "reloadedWith.file:/etc/a.conf.d/x.mode", from: "1", to: "2" },
    ];
    expect(shown([change("unit:a.service", ...parts)], "service a")).toEqual([
      "would restart: sysctl:vm.swappiness and /etc/a.conf.d/x are newer",
    ]);
    const reload = { path: "reloadedWith.file:/etc/a.conf", from: absent, to: { sha256: "1f" } };
    expect(shown([change("unit:a.service", reload)], "service a")).toEqual(["would reload: /etc/a.conf is newer"]);
  });

  it("names no file as newer if there is no record of which files the process has read", () => {
    const other = seen("startedWith.file:/etc/systemd/system/nginx.service");
    const unit = change("unit:nginx.service", conf, other);
    expect(shown([unit], "service nginx", { mode: "apply" })).toEqual([
      "restarted: started before its watched files last changed",
    ]);
    const recorded = { path: "startedWith.file:/etc/a.conf.sha256", from: "1", to: "2" };
    expect(shown([change("unit:nginx.service", conf, other, recorded)], "service nginx")).toEqual([
      "would restart: /etc/a.conf is newer",
    ]);
    const reload = [
      { path: "reloadedWith.file:/etc/a.conf", from: absent, to: { sha256: "1f" } },
      { path: "reloadedWith.file:/etc/b.conf", from: absent, to: { sha256: "1f" } },
    ];
    expect(shown([change("unit:a.service", ...reload)], "service a")).toEqual([
      "would reload: last read its watched files before they changed",
    ]);
    const again = { path: "reloadedWith.file:/etc/c.conf.noted", from: absent, to: "5" };
    expect(shown([change("unit:a.service", ...reload, again)], "service a")).toEqual([
      "would reload: /etc/c.conf is newer",
    ]);
  });

  it("is not mentioned for a unit that is started", () => {
    const state = { path: "state", from: "stopped", to: "started" };
    expect(shown([change("unit:nginx.service", state, conf)], "service nginx")).toEqual(["state  stopped → started"]);
  });
});

describe("a tree", () => {
  const hash = (digit: string): string => digit.repeat(64);
  const file = { type: "file", mode: "0644", sha256: hash("a") };
  const tree = change(
    "tree:/srv/www",
    { path: "entries.index.html.sha256", from: hash("1"), to: hash("2") },
    { path: "entries.a.b.mode", from: "0600", to: "0644" },
    { path: "entries.a.b.owner", from: "ana", to: "root" },
    { path: "entries...mode", from: "0700", to: "0755" },
    { path: "entries.sub", from: absent, to: { type: "directory", mode: "0755" } },
    { path: "entries.sub/two.txt", from: absent, to: file },
    {
      path: "names",
      from: [".", "a.b", "index.html", "old", "old/f"],
      to: [".", "a.b", "index.html", "sub", "sub/two.txt"],
    },
  );
  const gone = change("removal:/srv/www/old", {
    path: "",
    from: { type: "directory", real: "/srv/www/old", uses: [], files: 1, directories: 0, bytes: 2 },
    to: absent,
  });

  it("is shown as one short line per entry, not as JSON", () => {
    expect(shown([tree, gone], "directory tree /srv/www")).toEqual([
      "~ index.html  content",
      "~ a.b  mode 0600 → 0644, owner ana → root",
      "~ .  mode 0700 → 0755",
      "+ sub/",
      "+ sub/two.txt",
      "- old/  directory, 1 file, 2 B",
    ]);
  });

  it("lists the entries of a new tree", () => {
    const entries = { ".": { type: "directory" }, one: file, link: { type: "link", target: "one" } };
    const whole = change("tree:/srv/new", { path: "", from: absent, to: { entries } });
    expect(shown([whole], "directory tree /srv/new")).toEqual(["+ ./", "+ one", "+ link → one"]);
    expect(shown([whole])[0]).toBe("tree:/srv/new");
  });

  it("is shortened if it has many entries, and shown in full with --diff", () => {
    const entries = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, file]));
    const whole = change("tree:/srv/new", { path: "", from: absent, to: { entries } });
    expect(shown([whole], "directory tree /srv/new")).toHaveLength(21);
    expect(shown([whole], "directory tree /srv/new").at(-1)).toBe("and 80 more: 80 new; --diff shows all");
    expect(shown([whole], "directory tree /srv/new", { diff: true })).toHaveLength(100);
  });

  it("names a large file, which is a separate fact, by its path in the tree", () => {
    const large = change("file:/srv/www/image.iso", { path: "sha256", from: hash("1"), to: hash("2") });
    expect(shown([tree, large], "directory tree /srv/www")).toContain("~ image.iso  content");
  });
});

describe("an archive", () => {
  it("is shown by its path, not as JSON with a hash", () => {
    const unpacked = change('unpacked:["/opt/app","/tmp/app.tgz"]', {
      path: "",
      from: absent,
      to: { archive: "sha256:1a" },
    });
    expect(shown([unpacked], "unarchive /tmp/app.tgz to /opt/app")).toEqual([
      "+ the files of /tmp/app.tgz in /opt/app",
    ]);
    const other = change('unpacked:["/opt/app","/tmp/app.tgz"]', {
      path: "archive",
      from: "sha256:1a",
      to: "sha256:2b",
    });
    expect(shown([other], "unarchive /tmp/app.tgz to /opt/app")).toEqual([
      "~ the files of /tmp/app.tgz in /opt/app: the archive changed",
    ]);
  });
});

describe("a value with many fields", () => {
  const net = {
    bridge: "virbr7",
    forward: { mode: "nat", dev: undefined },
    ips: [{ address: "10.0.0.1", prefix: 24, dhcp: { from: "10.0.0.10", to: "10.0.0.99" } }],
    dns: [],
    autostart: true,
  };

  it("is shown field by field, not as one line of JSON", () => {
    expect(shown([change("libvirtNet:lan", { path: "", from: absent, to: net })], "libvirt network lan")).toEqual([
      "+ bridge            virbr7",
      "+ forward.mode      nat",
      "+ ips[0].address    10.0.0.1",
      "+ ips[0].prefix     24",
      "+ ips[0].dhcp.from  10.0.0.10",
      "+ ips[0].dhcp.to    10.0.0.99",
      "+ dns               []",
      "+ autostart         true",
    ]);
  });

  it("shows only the fields that differ", () => {
    const to = { ...net, ips: [{ ...net.ips[0], prefix: 25 }] };
    expect(
      shown([change("libvirtNet:lan", { path: "ips", from: net.ips, to: to.ips })], "libvirt network lan"),
    ).toEqual(["ips[0].prefix  24 → 25"]);
  });
});

describe("JSON or XML text", () => {
  it("is compared field by field", () => {
    const from = '{"a":1,"b":{"c":[1,2]},"same":true}\n';
    const to = '{"b":{"c":[1,3],"d":"x"},"same":true}\n';
    const text = change("file:/etc/app.json", { path: "text", from, to });
    expect(shown([text], "file /etc/app.json", { diff: true })).toEqual([
      "text",
      "  - a  1",
      "  ~ b.c[1]  2 → 3",
      "  + b.d  x",
    ]);
    expect(shown([text], "file /etc/app.json")).toEqual(["text  1 field added, 1 changed, 1 removed"]);
  });

  it("is shown with the paths of XML attributes and elements", () => {
    const xml = (port: string, more = ""): string =>
      `<?xml version="1.0"?>\n<!-- by hand --><server name="a"><listen port="${port}"/><root>/srv &amp; co</root>${more}</server>`;
    const text = change("file:/etc/app.xml", { path: "text", from: xml("80"), to: xml("8080", "<log level='warn'/>") });
    expect(shown([text], "file /etc/app.xml", { diff: true })).toEqual([
      "text",
      "  ~ server.listen.@port  80 → 8080",
      "  + server.log.@level  warn",
    ]);
  });

  it("is compared line by line if only its formatting differs, or if it is not well-formed", () => {
    const lines = (from: string, to: string): string[] =>
      shown([change("file:/etc/app.json", { path: "text", from, to })], "file /etc/app.json", { diff: true });
    expect(lines('{"a":1}\n', '{ "a": 1 }\n')).toContain('  -{"a":1}');
    expect(lines("{not json\n", '{"a":1}\n')).toContain("  -{not json");
    expect(lines("<a><b></a>\n", "<a/>\n")).toContain("  -<a><b></a>");
  });
});

it("names a removed item if nothing else is known about it", () => {
  expect(shown([change("crontab:root", { path: "", from: { text: "x" }, to: absent })], "cron x of root")).toEqual([
    "- crontab:root",
  ]);
});
