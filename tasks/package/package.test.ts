import { describe, expect, test } from "vitest";
import { absent, type FurrowError, type PackageOffer, type PackageState } from "../../src/authoring.ts";
import { freshIndex, type PackagePlan } from "../../src/facts/catalogue.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { checkConflicts } from "../../src/engine/plan/conflicts/conflicts.ts";
import { planNodes } from "../../src/engine/plan/plan.ts";
import { installation } from "./installation.ts";
import { pkg } from "./package.ts";

const apt = { name: "apt" } as const;
const missing: PackageState = {
  present: false,
  version: absent,
  complete: true,
  held: false,
  manual: true,
  providedBy: [],
};
const installed: PackageState = { ...missing, present: true, version: "1.0" };
const provided: PackageState = { ...missing, present: true, providedBy: ["nginx-light"] };
const offer: PackageOffer = { candidate: "2.0", versions: ["2.0", "1.0"], providers: [] };
const none: PackageOffer = { candidate: absent, versions: [], providers: [] };

const plan: PackagePlan = { installs: [], upgrades: [], downgrades: [], removes: [], reason: absent, clash: false };

interface Now {
  readonly packages: readonly PackageState[];
  readonly offers?: readonly PackageOffer[];
  readonly index?: object;
  readonly dependents?: readonly object[];
  readonly manager?: unknown;
  readonly plan?: PackagePlan;
  readonly renewal?: object;
}

const see = (call: Parameters<typeof explain>[0], now: Now): Explanation =>
  explain(call, { manager: apt, index: freshIndex, offers: [], dependents: [], plan, ...now });

/** Returns the words after the script's name in the only step. */
const words = ({ steps: [step] }: Explanation): readonly string[] =>
  step?.step === "run" ? step.argv.slice(step.argv.indexOf("furrow") + 1) : [];

describe("package with state: present", () => {
  test("installs all missing packages in one uninterruptible transaction", () => {
    const explained = see(pkg({ name: ["nginx", "parted", "curl"] }), {
      packages: [missing, installed, missing],
      offers: [offer, offer, offer],
    });
    expect(explained.change).toEqual({ "package:nginx": ["present"], "package:curl": ["present"] });
    expect(explained.described).toEqual(["install nginx, curl with apt"]);
    expect(explained.steps).toMatchObject([{ uncut: true }]);
    expect(words(explained)).toEqual(["600", "no", "", "change", "nginx", "curl"]);
  });

  test("leaves packages alone that are installed or provided by another package, and names the provider", () => {
    const explained = see(pkg({ name: ["nginx", "parted"] }), { packages: [provided, installed] });
    expect(explained.steps).toEqual([]);
    expect(explained.notes).toEqual(["nginx is provided by nginx-light"]);
  });

  test("reads the offered versions and the index only if a package is missing", () => {
    expect(see(pkg({ name: "nginx" }), { packages: [installed] }).facts).toEqual([
      "packageManager:host",
      "package:nginx",
    ]);
    expect(see(pkg({ name: "nginx" }), { packages: [missing], offers: [offer] }).facts).toEqual(
      expect.arrayContaining(["packageIndex:host", "packageOffer:nginx"]),
    );
  });

  test.each([
    { what: "is empty", index: { ...freshIndex, filled: false } },
    { what: "lacks a repository", index: { ...freshIndex, outdated: true } },
    { what: "is old", index: { ...freshIndex, ageMinutes: 24 * 60 } },
  ])("first fetches an index that $what, and does not refuse a name that this index lacks", ({ index }) => {
    const explained = see(pkg({ name: "nginx" }), {
      packages: [missing],
      offers: [none],
      index,
      renewal: { near: true },
    });
    expect(explained.refusal).toBeUndefined();
    expect(words(explained).slice(0, 4)).toEqual(["600", "yes", "", "change"]);
    expect(explained.described).toEqual(["fetch the package index and install nginx with apt"]);
  });

  test("repeats an interrupted installation", () => {
    const now = { packages: [{ ...installed, complete: false }], offers: [offer] };
    expect(see(pkg({ name: "nginx" }), now).change).toEqual({ "package:nginx": ["complete"] });
  });

  test("passes on the param for recommended packages", () => {
    const now = { packages: [missing], offers: [offer] };
    expect(words(see(pkg({ name: "nginx", recommends: false }), now))[2]).toBe("no");
  });

  test.each([
    { code: "package-not-found", offers: [none], packages: [missing] },
    { code: "package-is-virtual", offers: [{ ...none, providers: ["exim4", "postfix"] }], packages: [missing] },
    { code: "package-held", offers: [offer], packages: [{ ...missing, held: true }] },
    { code: "no-package-manager", offers: [offer], packages: [missing], manager: absent },
  ])("refuses with $code", ({ code, ...now }) => {
    expect(see(pkg({ name: "mta" }), now).refusal?.code).toBe(code);
  });
});

describe("package with a version", () => {
  test.each([
    { from: "absent", state: missing, change: ["version", "present"] },
    { from: "another", state: installed, change: ["version"] },
    { from: "one that another package provides", state: provided, change: ["version"] },
  ])("changes the version from $from", ({ state, change }) => {
    const explained = see(pkg({ name: "nginx", version: "2.0" }), { packages: [state], offers: [offer] });
    expect(explained.change["package:nginx"]?.toSorted()).toEqual(change.toSorted());
    expect(words(explained).at(-1)).toBe("nginx=2.0");
  });

  test("refuses a version that no repository offers, and names the offered versions", () => {
    const { refusal } = see(pkg({ name: "nginx", version: "3.0" }), { packages: [installed], offers: [offer] });
    expect(refusal).toMatchObject({ code: "version-not-found", current: "2.0, 1.0", expected: "3.0" });
  });
});

describe("package with state: latest", () => {
  test("is a composite that refreshes the index first", () => {
    const latest = pkg({ name: "nginx", state: "latest" });
    expect(latest.node).toBe("composite");
    const parts = latest.expand({ name: "nginx", state: "latest", provides: [], waitSeconds: 1 } as never);
    expect(parts.map((part) => part && "module" in part && part.module.card.name)).toEqual(["packageIndex", "package"]);
  });

  test("wants the newest available version", () => {
    const call = installation({ name: ["nginx", "curl"], state: "latest" });
    const explained = see(call, { packages: [installed, { ...installed, version: "2.0" }], offers: [offer, offer] });
    expect(explained.change).toEqual({ "package:nginx": ["version"] });
    expect(words(explained).slice(3)).toEqual(["change", "nginx=@"]);
  });

  test("keeps a package that no repository offers any more, and refuses an unknown package", () => {
    const call = installation({ name: "nginx", state: "latest" });
    expect(see(call, { packages: [installed], offers: [none] }).steps).toEqual([]);
    expect(see(call, { packages: [missing], offers: [none] }).refusal?.code).toBe("package-not-found");
  });
});

describe("package with state: absent", () => {
  const call = pkg({ name: ["nginx", "curl"], state: "absent" });

  test("removes installed packages in one transaction", () => {
    const alone = { packages: [] };
    const explained = see(call, { packages: [installed, missing], dependents: [alone, alone] });
    expect(explained.change).toEqual({ "package:nginx": ["version", "present"] });
    expect(words(explained).slice(3)).toEqual(["change", "nginx-"]);
  });

  test("is ok if nothing is installed, and for a name that only another package provides", () => {
    expect(see(call, { packages: [missing, provided] }).steps).toEqual([]);
  });

  test("refuses if other packages need it, unless they are removed too", () => {
    const needed = [{ packages: ["site"] }, { packages: ["nginx"] }];
    const { refusal } = see(call, { packages: [installed, installed], dependents: needed });
    expect(refusal).toMatchObject({ code: "package-needed", current: "site" });
    const all = pkg({ name: ["nginx", "curl"], state: "absent", dependents: true });
    expect(see(all, { packages: [installed, installed] }).refusal).toBeUndefined();
  });

  test("refuses a held package", () => {
    const held = { ...installed, held: true };
    expect(
      see(pkg({ name: "nginx", state: "absent" }), { packages: [held], dependents: [{ packages: [] }] }).refusal?.code,
    ).toBe("package-held");
  });
});

function failure(act: () => unknown): FurrowError {
  try {
    act();
  } catch (error) {
    return error as FurrowError;
  }
  throw new Error("it did not fail");
}

describe("package's params", () => {
  test.each([
    { input: { name: "nginx=1.0" }, says: "the name of a package" },
    { input: { name: "nginx-" }, says: "the name of a package" },
    { input: { name: [] }, says: "at least one name" },
    { input: { name: "nginx", state: "installed" }, says: "state" },
    { input: { name: "nginx", version: "1.*" }, says: "a full version" },
    { input: { name: ["nginx", "curl"], version: "1.0" }, says: "name" },
    { input: { name: "nginx", maneger: "apt" }, says: "manager" },
  ])("refuse $input", ({ input, says }) => {
    const error = failure(() => explain(installation(input as never), { packages: [] }));
    expect(error.code).toBe("E_PARAMS");
    expect(JSON.stringify(error.failure)).toContain(says);
  });

  test("expects a package to provide units, but files only in places named after it or listed in `provides`", () => {
    const { mayProvide } = pkg.card;
    const patterns = mayProvide?.({ name: ["nginx"], state: "present", provides: ["file:/srv/www/**"] }) ?? [];
    expect(patterns).toEqual(
      expect.arrayContaining([
        "unit:*",
        "file:/etc/nginx/**",
        "file:/etc/nginx.conf",
        "!file:/usr/local/**",
        "file:/srv/www/**",
      ]),
    );
    expect(
      patterns.some((pattern) => ["everything", "file:/**", "file:/etc/**", "file:/var/**"].includes(pattern)),
    ).toBe(false);
  });
});

test("expects a package to provide files in places named after its dependencies, too", () => {
  const params = { name: ["nginx-light"], state: "present" as const, provides: [] };
  const along = { plan: { ...plan, installs: ["nginx-light=1.22", "nginx-common:amd64=1.22", "nginx=1.22"] } };
  expect(pkg.card.mayProvide?.(params, along)).toEqual(
    expect.arrayContaining(["file:/etc/nginx/**", "file:/etc/nginx-common/**", "file:/etc/nginx-light/**"]),
  );
  expect(pkg.card.mayProvide?.(params)).not.toContain("file:/etc/nginx/**");
});

describe("package tasks in one play", () => {
  const setting = { target: "h", path: [], tags: [], when: [], become: undefined };
  const conflict = (...calls: readonly Node[]): string | undefined => {
    try {
      checkConflicts(planNodes(calls, setting, ""));
      return undefined;
    } catch (error) {
      return (error as FurrowError).code;
    }
  };

  test.each([
    { what: "present and absent", calls: [pkg({ name: "nginx" }), pkg({ name: "nginx", state: "absent" })] },
    { what: "absent and present", calls: [pkg({ name: "nginx", state: "absent" }), pkg({ name: ["curl", "nginx"] })] },
    {
      what: "in two versions",
      calls: [pkg({ name: "nginx", version: "1.0" }), pkg({ name: "nginx", version: "2.0" })],
    },
    {
      what: "at a version and absent",
      calls: [pkg({ name: "nginx", version: "1.0" }), pkg({ name: "nginx", state: "absent" })],
    },
    {
      what: "as latest and absent",
      calls: [pkg({ name: "nginx", state: "latest" }), pkg({ name: "nginx", state: "absent" })],
    },
  ])("are refused at load if they want the same name $what", ({ calls }) => {
    expect(conflict(...calls)).toBe("E_CONFLICTING_WANTS");
  });

  test("may want the same name twice if the states agree, and different names in any state", () => {
    expect(
      conflict(pkg({ name: "nginx" }), pkg({ name: ["nginx", "curl"] }), pkg({ name: "apache2", state: "absent" })),
    ).toBe(undefined);
    expect(conflict(pkg({ name: "nginx" }), pkg({ name: "nginx", version: "1.0" }))).toBe(undefined);
  });
});
