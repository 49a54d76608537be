import { describe, expect, test } from "vitest";
import { joinLate, lateResults } from "./late-hosts.ts";

const together = `play web  web001–web120
118 hosts  changed      file /etc/motd  (same diff; all but web042)
    content  differs
120 hosts  changed      file /srv/app.conf  (same diff)
    + type file, mode 0640
web042     changed      file /etc/motd
    content  differs

recap
`;

const late = `play web  web001–web120
52 hosts   changed      file /etc/motd  (same diff; web001–web041, web043–web050
    and 3 more)
    content  differs
65 hosts   changed      file /etc/motd  (same diff as web001; web055–web073 and
    40 more)
120 hosts  changed      file /srv/app.conf  (same diff)
    + type file, mode 0640
web042     changed      file /etc/motd
    content  differs
web119     changed      file /etc/motd  (same diff as web001)

recap
`;

describe("results that came later than those of the other hosts", () => {
  test("are found", () => {
    expect(lateResults(together)).toEqual([]);
    expect(lateResults(late)).toEqual(["changed file /etc/motd"]);
  });

  test("are joined into the line that all hosts share", () => {
    const results = lateResults(late);
    expect(joinLate(late, results)).toBe(joinLate(together, results));
    expect(joinLate(late, results)).toContain("118 hosts  changed file /etc/motd\n    content  differs\n120 hosts");
  });

  test("are still distinguished from missing results", () => {
    const lost = late.replace("65 hosts", "64 hosts");
    expect(joinLate(lost, lateResults(lost))).not.toBe(joinLate(together, lateResults(lost)));
  });
});
