import { defineConfig } from "vitest/config";
import { Sequencer } from "./test/sample/sequencer.ts";

/** The folders that may contain tests; `dist` and `node_modules` never do. */
const folders = "{src,tasks,roles,playbooks,inventory,scripts,bench,test}";

/**
 * The suites, which need different things and are distinguished by file name: unit (nothing), programs (shells and
 * other programs), property (time), host (root and an sshd of its own), lab (whole throwaway hosts), and the longer
 * ones: long, property-long (like property), ha (a cluster of three nodes), torture (of connections), deploy-torture
 * (of a whole deployment), cloud (fakes of the clouds' APIs), kube (a real Kubernetes API server), acceptance (a host
 * with a history), package.
 */
export default defineConfig({
  test: {
    // Reporters and screens are tested as text: a terminal's colours must not leak into snapshots.
    env: { NO_COLOR: "1" },
    maxWorkers: 2,
    runner: "test/sample/deadline.ts",
    sequence: { sequencer: Sequencer },
    // A host responds slowly on a busy machine.
    expect: { poll: { timeout: 45_000 } },
    // A failed comparison must show the output, because a suite that runs on another machine leaves behind only its
    // messages.
    chaiConfig: { truncateThreshold: 4000 },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [`${folders}/**/*.test.ts`],
          exclude: [
            "**/*.{programs,host,lab,long,ha,torture,deploy-torture,property,property-long,package,cloud,acceptance,kube}.test.ts",
            "**/node_modules/**",
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Many of these tests wait for a shell, a timeout or a clock, so more files than processors run at once.
          maxWorkers: 3,
          isolate: false,
          experimental: { viteModuleRunner: false },
          setupFiles: ["test/one-process.ts", "test/missing-programs.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "programs",
          include: [`${folders}/**/*.programs.test.ts`],
          // Some of these files wait for a program or a clock for most of a minute.
          maxWorkers: 3,
          testTimeout: 300_000,
          hookTimeout: 900_000,
          setupFiles: ["test/missing-programs.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "property",
          include: [`${folders}/**/*.property.test.ts`],
          env: { FURROW_PROPERTY_RUNS: process.env["FURROW_PROPERTY_RUNS"] ?? "2000" },
          setupFiles: ["test/fixed-seed.ts"],
          // These suites run at low priority in parallel with others, so they may take much longer on a busy machine.
          testTimeout: 1_800_000,
          hookTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          name: "host",
          include: [`${folders}/**/*.host.test.ts`],
          globalSetup: "test/private-run.ts",
          // These suites wait for hosts most of the time.
          maxWorkers: 3,
          // A slow machine needs a minute for what takes two seconds on a fast one.
          testTimeout: 300_000,
          hookTimeout: 900_000,
        },
      },
      {
        // Repeats the tests of ssh with unpatched ssh2, which users get if their ssh2 is a version that we do not
        // patch.
        extends: true,
        test: {
          name: "plain-ssh",
          include: [
            "forks",
            "goodbye",
            "link",
            "ssh/agent",
            "ssh/host-key",
            "ssh/jump",
            "ssh/login",
            "ssh/max-sessions",
            "ssh/tunnel",
          ].map((name) => `test/transport/${name}.host.test.ts`),
          env: { FURROW_SSH2: "plain" },
          globalSetup: "test/private-run.ts",
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          name: "lab",
          include: [`${folders}/**/*.lab.test.ts`],
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
        },
      },
      {
        extends: true,
        test: {
          name: "long",
          include: [`${folders}/**/*.long.test.ts`],
          globalSetup: "test/private-run.ts",
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
        },
      },
      {
        extends: true,
        test: {
          name: "property-long",
          // Tests the engine again, on more and different playbooks than npm test has time for.
          include: [
            `${folders}/**/*.property-long.test.ts`,
            "test/engine/engine.property.test.ts",
            "test/engine/check.property.test.ts",
          ],
          env: {
            FURROW_PROPERTY_RUNS: process.env["FURROW_PROPERTY_RUNS"] ?? "20000",
            FURROW_SEED: process.env["FURROW_SEED"] ?? "20261129",
          },
          setupFiles: ["test/fixed-seed.ts"],
          // One of the suite's files uses two processes itself.
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          name: "torture",
          include: [`${folders}/**/*.torture.test.ts`],
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          name: "deploy-torture",
          include: [`${folders}/**/*.deploy-torture.test.ts`],
          // For the same reason as in `ha`: hosts wait most of the time.
          fileParallelism: true,
          testTimeout: 1_200_000,
          hookTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          name: "ha",
          include: [`${folders}/**/*.ha.test.ts`],
          // Nodes wait for each other most of the time, so two clusters in parallel take little longer than one.
          fileParallelism: true,
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
        },
      },
      {
        extends: true,
        test: {
          name: "acceptance",
          include: [`${folders}/**/*.acceptance.test.ts`],
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
        },
      },
      {
        extends: true,
        test: {
          name: "cloud",
          include: [`${folders}/**/*.cloud.test.ts`],
          fileParallelism: false,
          // No SDK may look for credentials at a metadata address, because those credentials would belong to someone
          // else.
          env: { AWS_EC2_METADATA_DISABLED: "true", METADATA_SERVER_DETECTION: "none" },
          testTimeout: 300_000,
          hookTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          name: "kube",
          include: [`${folders}/**/*.kube.test.ts`],
          fileParallelism: false,
          testTimeout: 300_000,
          // The first file may have to build the API server.
          hookTimeout: 7_200_000,
        },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: [`${folders}/**/*.package.test.ts`],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
