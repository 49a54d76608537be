import { describe, expect, test } from "vitest";
import restart from "../../playbooks/harvester-restart.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import { absent, type Json } from "../../src/authoring.ts";
import type { StepResult } from "../../src/core/host/step.ts";
import { simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { answerFor, soundCluster } from "../../test/guards/examples.ts";
import { maintenanceMarker, powerOrder, shutdownChecked, snapshotRecord } from "../cluster/places.ts";
import { imageOf, libvirtWith, recordsOf, serving } from "../../test/playbooks/deployed-records.ts";

// test/deploy/power-obstacles.deploy-torture.test.ts tests the obstacles on a host with one real node; these tests need
// several nodes.
const vars = { nodes: 3, disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p" };
const names = ["harvester-1", "harvester-2", "harvester-3"];

/** The host with all nodes on. */
const on: SimulatedState = {
  ...recordsOf(vars),
  ...Object.fromEntries(names.map((name) => [`libvirtDomain:${name}`, domainWith({}, { state: "running" })])),
  "libvirt:system": {
    daemon: "up",
    problem: "",
    networks: {},
    domains: Object.fromEntries(
      names.map((name) => [name, { active: true, disks: [imageOf(name)], networks: ["vlan1"], bridges: [] }]),
    ),
    links: {},
  },
  "libvirtNet:vlan1": { active: true },
  "file:/data/node-1.qcow2": { type: "file" },
  "file:/dev/kvm": { type: "other" },
};

type Options = Partial<Parameters<typeof simulate>[1]>;
type Perform = NonNullable<Options["perform"]>;
const kubernetes = (request: Json): unknown => answerFor(soundCluster, request as { readonly path: string });
const drivers = { kubernetes, http: serving("AAAA") };

const run = (book: typeof shutdown, metal: SimulatedState, more: Options = {}): Promise<Simulation> =>
  simulate(book, { hosts: ["metal"], vars, state: { metal }, drivers, ...more });
const metalOf = ({ state }: Simulation): SimulatedState => state["metal"] ?? {};
const failures = ({ tasks }: Simulation) => tasks.flatMap(({ error }) => error?.failure ?? []);

/** What the playbooks leave on the host. */
function left(ran: Simulation): object {
  const state = metalOf(ran);
  const stateOf = (name: string): unknown => (state[`libvirtDomain:${name}`] as { readonly state: string }).state;
  const textOf = (path: string): unknown => {
    const found = state[`file:${path}`];
    return found === absent || found === undefined ? "absent" : (found as { readonly text: string }).text;
  };
  return {
    nodes: names.map(stateOf),
    files: [maintenanceMarker, powerOrder, shutdownChecked, snapshotRecord].map(textOf),
  };
}

/** The hosts after an uninterrupted shutdown, and after an uninterrupted restart. */
const off = run(shutdown, on);
const back = off.then((ran) => run(restart, metalOf(ran)));

/** A step that fails with a message. */
const failing =
  (label: string, stderr: string): Perform =>
  (step): Partial<StepResult> | undefined =>
    step.step === "run" && step.label === label ? { exitCode: 1, stderr } : undefined;

describe("a shutdown of three nodes whose second node does not shut down", () => {
  const says = "harvester-2 has not shut down in time; it might not react to ACPI";
  const halfway = (): Promise<Simulation> => run(shutdown, on, { perform: failing("shut harvester-2 down", says) });

  test("leaves the third node on, and says how far the shutdown got and how to continue or reverse it", async () => {
    const [first, second] = failures(await halfway());
    expect(first?.details).toEqual([says]);
    expect(second).toMatchObject({
      what: "the shutdown cannot finish, because the task before this one failed; until it does, the host is under maintenance, so the watchdog starts no node",
      current: "harvester-3: off; harvester-2: on; harvester-1: on",
    });
    expect(second?.hint).toMatch(/rerun;.*--var shutdownSeconds=.*--var powerOff=true.*harvester-restart/);
  });

  test("is finished by a rerun", async () => {
    const again = await run(shutdown, metalOf(await halfway()));
    expect(again.result.errors).toEqual([]);
    expect(left(again)).toEqual(left(await off));
  });

  test("is reversed by a restart", async () => {
    const taken = await run(restart, metalOf(await halfway()));
    expect(taken.result.errors).toEqual([]);
    expect(left(taken)).toEqual(left(await back));
  });
});

const closed = (port: string): SimulatedState => ({ [`port:${port}`]: { open: false } });
const dead = {
  kubernetes,
  http: (request: Json): object =>
    (request as { readonly url: string }).url.endsWith("/ping")
      ? { error: { code: "curl 7", message: "refused" } }
      : serving("AAAA")(request),
};

test("check mode of a restart refuses nothing while the cluster is off, and leaves the comparison of the cluster undecided", async () => {
  const state = { ...metalOf(await off), ...closed("192.168.130.120 9345 virbr1") };
  const { tasks, result } = await run(restart, state, { mode: "check", drivers: dead });
  expect(result.errors).toEqual([]);
  expect(tasks.find(({ title }) => title === "the cluster that answers is the one that was shut down")?.outcome).toBe(
    "undecided",
  );
});

describe("a restart of three nodes", () => {
  test.each<[string, Options, SimulatedState, RegExp]>([
    [
      "whose second node libvirt does not start",
      { perform: failing("virsh start harvester-2", "error: Is another process using the image?") },
      {},
      /Is another process using the image/,
    ],
    ["whose second node does not come up", {}, closed("192.168.130.12 10250"), /port 10250 is closed; harvester-2/],
    ["whose API does not come up", { drivers: dead }, {}, /no answer \(refused\); harvester-1/],
    [
      "whose address is taken by another machine",
      {},
      closed("192.168.130.120 9345 virbr1"),
      /192\.168\.130\.120.*9345/,
    ],
  ])(
    "%s stays under maintenance, and the error names the cause; a rerun finishes the restart",
    async (_name, more, surroundings, cause) => {
      const before = metalOf(await off);
      const halted = await run(restart, { ...before, ...surroundings }, more);
      const [first, second] = failures(halted);
      expect(JSON.stringify(first)).toMatch(cause);
      expect(second?.what).toMatch(
        /^the restart cannot finish, because .*; until it does, the host is under maintenance/,
      );
      expect(second?.hint).toContain("rerun");
      expect(metalOf(halted)[`file:${maintenanceMarker}`]).toEqual(before[`file:${maintenanceMarker}`]);
      const { [Object.keys(surroundings)[0] ?? ""]: _removed, ...cleared } = metalOf(halted);
      const again = await run(restart, cleared);
      expect(again.result.errors).toEqual([]);
      expect(left(again)).toEqual(left(await back));
    },
  );

  test("does not end if another cluster answers at its address once the nodes are on", async () => {
    let answering = "AAAA";
    const http = (request: Json): object => serving(answering)(request);
    const started: Perform = (step) => {
      if (step.step === "run" && step.argv.includes("start")) answering = "BBBB";
      return undefined;
    };
    const before = metalOf(await off);
    const ended = await run(restart, before, { drivers: { kubernetes, http }, perform: started });
    const [first, second] = failures(ended);
    expect(first?.what).toMatch(/the cluster that answers at 192\.168\.130\.120 is not the one/);
    expect(second?.current).toBe("harvester-1: on; harvester-2: on; harvester-3: on");
    expect(metalOf(ended)[`file:${maintenanceMarker}`]).toEqual(before[`file:${maintenanceMarker}`]);
    answering = "AAAA";
    const again = await run(restart, metalOf(ended), { drivers: { kubernetes, http } });
    expect(again.result.errors).toEqual([]);
    expect(left(again)).toEqual(left(await back));
  });
});

test("a restart that cannot identify the cluster does not end the maintenance", async () => {
  const before = metalOf(await off);
  const records = Object.keys(before).filter((id) => id.endsWith(".fingerprint"));
  const unknown = Object.fromEntries(Object.entries(before).filter(([id]) => !records.includes(id))) as SimulatedState;
  const [first] = failures(await run(restart, unknown));
  expect(first?.what).toBe("the cluster at 192.168.130.120 cannot be compared with the one that was deployed here");
  const marker = `file:${maintenanceMarker}`;
  expect(metalOf(await run(restart, unknown))[marker]).toEqual(before[marker]);
});

test("a restart of one node without `ready` does not end the maintenance", async () => {
  const alone = { nodes: 1, disks: ["/dev/a"], token: "t", password: "p", ready: false };
  const marker = `file:${maintenanceMarker}`;
  const one = ([id]: [string, unknown]): boolean => !/^libvirtDomain:harvester-[23]$/.test(id);
  const whole = Object.entries(metalOf(await off)).filter(one);
  const before = { ...Object.fromEntries(whole), ...libvirtWith({ "harvester-1": "shut off" }) } as SimulatedState;
  const ended = await simulate(restart, { hosts: ["metal"], vars: alone, state: { metal: before }, drivers });
  expect(failures(ended)).toEqual([]);
  expect(metalOf(ended)[marker]).toEqual(before[marker]);
});

describe("nodes that libvirt has saved, with their virtual machines frozen in memory", () => {
  const savedNodes = (...which: string[]): SimulatedState => ({
    ...on,
    ...(Object.fromEntries(
      which.map((name) => [`libvirtDomain:${name}`, domainWith({}, { state: "shut off", saved: true })]),
    ) as SimulatedState),
  });

  test.each([
    ["one node", ["harvester-2"], {}],
    ["all nodes", names, {}],
    ["all nodes, with force", names, { force: true, powerOff: true }],
  ] as const)("are not taken for nodes that are off: the shutdown changes nothing (%s)", async (_name, which, more) => {
    for (const mode of ["check", "apply"] as const) {
      const ended = await run(shutdown, savedNodes(...which), { mode, vars: { ...vars, ...more } });
      const [only] = failures(ended);
      expect(only?.details).toEqual(["refused: domain-saved"]);
      expect(only?.hint).toMatch(/virsh start harvester-\d.*virsh managedsave-remove harvester-\d/);
      expect(ended.tasks.flatMap(({ steps }) => steps)).toEqual([]);
    }
  });

  test("are resumed by a restart, and a note says so", async () => {
    const { tasks, result } = await run(restart, savedNodes("harvester-2"), { mode: "check" });
    expect(result.errors).toEqual([]);
    expect(tasks.flatMap(({ notes }) => notes).join("\n")).toContain("resumes from its saved memory");
  });
});

test.each([
  ["shutdown", shutdown],
  ["restart", restart],
])("the %s says how to start libvirt if it does not answer, in check mode as well", async (_name, book) => {
  const down = {
    ...on,
    "libvirt:system": { ...(on["libvirt:system"] as object), daemon: "down", problem: "no socket" },
    ...Object.fromEntries(
      ["libvirtd", "virtqemud", "virtnetworkd"].flatMap((unit) => [
        [`unit:${unit}.service`, { state: "stopped" }],
        [`unit:${unit}.socket`, { state: "stopped" }],
      ]),
    ),
  } as SimulatedState;
  for (const mode of ["check", "apply"] as const) {
    const [only] = failures(await run(book, down, { mode }));
    expect(only).toMatchObject({ what: "libvirt's daemon does not answer on this host", current: "no socket" });
    expect(only?.hint).toContain("systemctl start libvirtd");
  }
});

test.each([
  ["shutdown", shutdown, on],
  ["restart", restart, Object.fromEntries(Object.entries(on).map(([id, value]) => [id, whichIsOff(id, value)]))],
] as const)(
  "the %s changes nothing while it cannot read the marker, in check mode as well",
  async (_name, book, nodes) => {
    const unreadable = { ...nodes, [`file:${maintenanceMarker}`]: { type: "directory" } } as SimulatedState;
    for (const mode of ["check", "apply"] as const) {
      const ended = await run(book, unreadable, { mode });
      expect(failures(ended).map(({ what }) => what)).toEqual([
        expect.stringMatching(/^\/etc\/furrow-maintenance is not a/),
      ]);
      expect(ended.tasks.flatMap(({ steps }) => steps)).toEqual([]);
    }
  },
);

function whichIsOff(id: string, value: unknown): unknown {
  return id.startsWith("libvirtDomain:") ? { ...(value as object), state: "shut off" } : value;
}
