import { describe, expect, it } from "vitest";
import { wrapped } from "./wrapped.ts";

const hint = "Raise timeoutSeconds if it ran for 2 s: it was then told to end, did not, and was killed 10 s later";

describe("wrapped", () => {
  it("breaks a long line at spaces, and indents the continuation lines", () => {
    expect(wrapped(hint, 40, "  ")).toEqual([
      "Raise timeoutSeconds if it ran for 2 s:",
      "  it was then told to end, did not, and",
      "  was killed 10 s later",
    ]);
  });

  it("does not change a line that fits, or any line without a terminal", () => {
    expect(wrapped("fits  exactly", 13, "  ")).toEqual(["fits  exactly"]);
    expect(wrapped(hint, undefined, "  ")).toEqual([hint]);
  });

  it.each([
    ["see the file /etc/nginx/sites-enabled/default for it", "/etc/nginx/sites-enabled/default"],
    [
      "Then run furrow run site.ts -i local --limit @unfinished, and wait",
      "furrow run site.ts -i local --limit @unfinished,",
    ],
    ["Then run `furrow lab down --name other` there", "`furrow lab down --name other`"],
    ['fix the cause, run "virsh destroy node-1 now" there', '"virsh destroy node-1 now"'],
    ["Then run umount '/mnt/my disk/a' on the host", "umount '/mnt/my disk/a'"],
    ["Then run this: npm install string-width in the project", "npm install string-width"],
    ["It says so: ssh-keygen -R web1 -f /root/known_hosts", "ssh-keygen -R web1 -f /root/known_hosts"],
  ])("keeps paths and commands whole: %s", (text, whole) => {
    for (let columns = 8; columns < text.length; columns += 1) {
      expect(wrapped(text, columns, "").some((line) => line.includes(whole))).toBe(true);
    }
  });

  it("breaks between the words of a list of paths, and after an apostrophe", () => {
    expect(wrapped("one of /a/b, /c/d, /e/f", 14, "")).toEqual(["one of /a/b,", "/c/d, /e/f"]);
    expect(wrapped("the host's disks and its disk's data", 20, "")).toEqual([
      "the host's disks and",
      "its disk's data",
    ]);
  });

  it("counts columns, not characters: wide characters and colours", () => {
    expect(wrapped("主机 主机 主机", 10, " ")).toEqual(["主机 主机", " 主机"]);
    expect(wrapped("\u001B[31mone\u001B[39m two six", 7, "")).toEqual(["\u001B[31mone\u001B[39m two", "six"]);
  });
});
