import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { shells } from "../../test/contract/shells.fixture.ts";
import { covered } from "../../test/covered.ts";
import { type Variable, withWords } from "./defaults.ts";
import { entriesScript, grubEntries, grubEntriesKind, type GrubQuestion } from "./entries.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-grub-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What 10_linux and 30_os-prober of GRUB 2.06 write. */
const config = (normal: string, recovery: string): string => `set timeout=5
### BEGIN /etc/grub.d/10_linux ###
menuentry 'Debian GNU/Linux' --class debian $menuentry_id_option 'gnulinux-simple-u' {
	linux	/boot/vmlinuz-6.1.0-28-amd64 root=UUID=u ro ${normal}
	initrd	/boot/initrd.img-6.1.0-28-amd64
}
submenu 'Advanced options' $menuentry_id_option 'gnulinux-advanced-u' {
	menuentry 'Debian, with Linux 6.1.0-28-amd64' --class debian $menuentry_id_option 'gnulinux-6.1.0-28-amd64-advanced-u' {
		linux	/boot/vmlinuz-6.1.0-28-amd64 root=UUID=u ro ${normal}
	}
	menuentry 'Debian, with Linux 6.1.0-28-amd64 (recovery mode)' --class debian $menuentry_id_option 'gnulinux-6.1.0-28-amd64-recovery-u' {
		linux	/boot/vmlinuz-6.1.0-28-amd64 root=UUID=u ro single ${recovery}
	}
}
### END /etc/grub.d/10_linux ###
### BEGIN /etc/grub.d/30_os-prober ###
menuentry 'Other' { linux /boot/vmlinuz root=/dev/sdb1 other=1
}
### END /etc/grub.d/30_os-prober ###
`;

interface Host {
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
}

function make({ program, files, links = {} }: Host): { readonly root: string; readonly path: string } {
  const root = mkdtempSync(join(folder, "host-"));
  const all = {
    [`/bin/${program}`]: "#!/bin/sh\n",
    "/proc/cmdline": "BOOT_IMAGE=/vmlinuz quiet a-b=1 console=tty0 a_b=2\n",
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
  chmodSync(join(root, "bin", program), 0o755);
  return { root, path: `${join(root, "bin")}:/usr/bin:/bin` };
}

const debian = (normal: string, recovery = normal, more: Readonly<Record<string, string>> = {}): Host => ({
  program: "update-grub",
  files: { "/boot/grub/grub.cfg": config(normal, recovery), "/etc/default/grub": "GRUB_TIMEOUT=5\n", ...more },
});
const linux = "GRUB_CMDLINE_LINUX";

describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  const ask = (host: Host, ...asked: readonly GrubQuestion[]) => {
    const { root, path } = make(host);
    const questions = asked.map((one, number) => ({ ...grubEntries(one), number }));
    const [program = "", ...words] = shell;
    const script = entriesScript(questions, root).replace(":/usr/sbin:/sbin", "");
    const output = execFileSync(`/usr/bin/${program}`, [...words, "-c", script], {
      encoding: "utf8",
      env: { PATH: path },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return questions.map((question) => {
      const own = output.split("\n").flatMap((line) => {
        const [, number, name = "", value = ""] = /^(\d+) ([^=]+)=(.*)$/.exec(line) ?? [];
        return number === String(question.number) ? [[name, value] as const] : [];
      });
      return grubEntriesKind.parse(Object.fromEntries(own), question);
    });
  };

  test("an entry is right if it has exactly the wanted words", () => {
    const found = ask(
      debian("quiet a=1 console=tty0 console=ttyS0,115200", "a=1"),
      { name: "a", words: ["a=1"], variable: linux },
      { name: "quiet", words: ["quiet"], variable: linux },
      { name: "quiet", words: ["quiet"], variable: `${linux}_DEFAULT` },
      { name: "console", words: ["console=tty0", "console=ttyS0,115200"], variable: `${linux}_DEFAULT` },
      { name: "console", words: ["console=ttyS0,115200", "console=tty0"], variable: `${linux}_DEFAULT` },
      { name: "other", words: [], variable: linux },
      { name: "a", words: [], variable: linux },
      { name: "a", words: ["a=2"], variable: linux },
    );
    expect(found.map(({ right }) => right)).toEqual([true, false, true, true, false, true, false, false]);
    expect(found[0]).toMatchObject({
      program: "update-grub",
      config: "/boot/grub/grub.cfg",
      entries: 3,
      later: [],
    });
  });

  test("the running kernel's words are found under both spellings of the name", () => {
    const [found] = ask(debian(""), { name: "a-b", words: [], variable: linux });
    expect(found?.running).toBe("a-b=1 a_b=2");
  });

  test("an entry that has a wanted word twice is wrong", () => {
    expect(ask(debian("a=1 a=1"), { name: "a", words: ["a=1"], variable: linux })[0]?.right).toBe(false);
  });

  test("the lines of later files that set a variable of kernel parameters are named, in the order of the files", () => {
    const more = {
      "/etc/default/grub.d/10-more.cfg": `${linux}="$${linux} x"\nif :; then ${linux}_DEFAULT+=" y"; fi\n`,
      "/etc/default/grub.d/50-cloud.cfg": `# ${linux}=no\nMY_${linux}=no\n\texport ${linux}="console=ttyS0"\n`,
      "/etc/default/grub.d/60.txt": `${linux}=no\n`,
      "/etc/default/grub.d/70.cfg": `${linux}_RECOVERY=no\n`,
    };
    const asked = ["a", "b"].map((name) => ({ name, words: [], variable: linux }));
    const [first, second] = ask(debian("", "", more), ...asked).map(({ later }) => later);
    expect(first).toEqual([
      { file: "/etc/default/grub.d/10-more.cfg", line: `${linux}="$${linux} x"` },
      { file: "/etc/default/grub.d/10-more.cfg", line: `if :; then ${linux}_DEFAULT+=" y"; fi` },
      { file: "/etc/default/grub.d/50-cloud.cfg", line: `export ${linux}="console=ttyS0"` },
    ]);
    expect(second).toEqual(first);
  });

  test("the words that GRUB adds to its recovery entries do not make these entries wrong", () => {
    const ubuntu = {
      "/etc/grub.d/10_linux": `    ${linux}_RECOVERY="$${linux}_RECOVERY nomodeset"\n`,
      "/etc/default/grub.d/a.cfg": `${linux}_RECOVERY='single a-b=2'\n`,
    };
    const right = (host: Host, ...words: readonly string[]) =>
      ask(host, { name: words[0] ?? "nomodeset", words: words.slice(1), variable: linux })[0]?.right;
    expect(right(debian("quiet", "nomodeset", ubuntu))).toBe(true);
    expect(right(debian("nomodeset", "nomodeset nomodeset", ubuntu), "nomodeset", "nomodeset")).toBe(true);
    expect(right(debian("a_b=1", "nomodeset a-b=2 a_b=1", ubuntu), "a-b", "a_b=1")).toBe(true);
    expect(right(debian("a_b=1", "nomodeset a_b=1 a-b=2", ubuntu), "a-b", "a_b=1")).toBe(true);
    expect(right(debian("nomodeset", "nomodeset nomodeset", ubuntu))).toBe(false);
    expect(right(debian("quiet", "nomodeset=1", ubuntu))).toBe(false);
    expect(right(debian("quiet", "nomodeset"))).toBe(false);
  });

  const grub2 = { program: "grub2-mkconfig" };
  const files = { "/etc/default/grub": "GRUB_TIMEOUT=5\n" };
  const asked = { name: "a", words: ["a=1"], variable: linux };
  test.each([
    {
      what: "SUSE",
      host: { ...grub2, files: { ...files, "/boot/grub2/grub.cfg": config("a=1", "a=1") } },
      program: "grub2-mkconfig",
      path: "/boot/grub2/grub.cfg",
    },
    {
      what: "Red Hat 7 with UEFI",
      host: {
        ...grub2,
        files: { ...files, "/sys/firmware/efi/x": "", "/boot/efi/EFI/redhat/grub.cfg": config("a=1", "a=1") },
        links: { "/etc/grub2-efi.cfg": "../boot/efi/EFI/redhat/grub.cfg" },
      },
      program: "grub2-mkconfig",
      path: "/boot/efi/EFI/redhat/grub.cfg",
    },
    {
      what: "Red Hat 9",
      host: {
        ...grub2,
        files: { "/etc/default/grub": "GRUB_ENABLE_BLSCFG=true\n", "/boot/grub2/grub.cfg": "blscfg\n" },
        links: { "/etc/grub2.cfg": "../boot/grub2/grub.cfg" },
      },
      program: "bls",
      path: "/boot/grub2/grub.cfg",
    },
    {
      what: "Red Hat 9 without GRUB_ENABLE_BLSCFG in its defaults",
      host: { ...grub2, files: { ...files, "/boot/grub2/grub.cfg": "  blscfg\n" } },
      program: "bls",
      path: "/boot/grub2/grub.cfg",
    },
    {
      what: "a host without GRUB's configuration",
      host: { program: "update-grub", files },
      program: "none",
      path: "/boot/grub/grub.cfg",
    },
    { what: "a host without GRUB", host: { program: "other", files }, program: "none", path: "" },
  ])("$what", ({ host, program, path }) => {
    const [found] = ask(host, asked);
    expect([found?.program, found?.config, found?.right]).toEqual([program, path, program === "grub2-mkconfig"]);
  });
});

test("whatever the file contained, the shell reads the wanted words after the edit, and all other words as before", () => {
  const word = fc.constantFrom("quiet", "a", "a=0", "a=1", "b=x", "a.c=2", "console=ttyS0,115200");
  const words = fc.array(word, { maxLength: 4 }).map((list) => list.join(" "));
  const value = fc.oneof(
    words.map((text) => `"${text}"`),
    words.map((text) => `'${text}'  # it's`),
    word,
    fc.constantFrom("", '"$X"', '"x\\"', "'", '"a"; b'),
  );
  const line = fc.oneof(
    fc.constantFrom("", "# GRUB_CMDLINE_LINUX=no", "X=1", "X=`echo y`", 'Y="a # b"', "if :; then", "  export Z=1"),
    value.map((text) => `GRUB_CMDLINE_LINUX=${text}`),
    value.map((text) => `GRUB_CMDLINE_LINUX_DEFAULT=${text}`),
  );
  const variable = fc.constantFrom<Variable>("GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT");
  const wanted = fc.constantFrom<readonly string[]>([], ["a"], ["a=1"], ["a=1", "a=2"]);
  let edited = 0;
  const inShell = (text: string): string[][] => {
    const script = 'eval "$1"\nprintf "%s\\n" "$GRUB_CMDLINE_LINUX" "$GRUB_CMDLINE_LINUX_DEFAULT"';
    const output = execFileSync("sh", ["-c", script, "sh", text], { encoding: "utf8" });
    return output
      .split("\n")
      .slice(0, 2)
      .map((one) => one.split(" ").filter(Boolean));
  };
  const others = (all: readonly string[][]): string[][] =>
    all.map((one) => one.filter((each) => !/^a(=|$)/.test(each)));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), variable, wanted, (lines, which, put) => {
      const text = lines.join("\n");
      const after = withWords(text, "a", put, which);
      if (typeof after !== "string") return;
      edited += 1;
      const found = inShell(after);
      expect(others(found)).toEqual(others(inShell(text)));
      const [own, other] = which === "GRUB_CMDLINE_LINUX" ? found : found.toReversed();
      expect(own?.filter((each) => /^a(=|$)/.test(each))).toEqual(put);
      expect(other?.filter((each) => /^a(=|$)/.test(each))).toEqual([]);
      expect(withWords(after, "a", put, which)).toBe(after);
    }),
    { numRuns: 300 },
  );
  expect(edited).toBeGreaterThan(50);
  covered(`${edited} edits of /etc/default/grub, as a shell reads it`);
});
