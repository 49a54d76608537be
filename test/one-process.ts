import { forgetSecrets } from "../src/core/secrets/secret.ts";

// Unit tests share a process and furrow's modules, which halves their time. All kinds are registered before the first
// test, as in a real run, so that no test depends on what earlier files imported.
await import("../tasks/index.ts");
forgetSecrets();
