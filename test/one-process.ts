// Unit tests share a process and furrow's modules, which halves their time. All kinds are registered before the first
// test, as in a real run, so that a test does not depend on what earlier files imported.
import "../src/facts/index.ts";
import "../tasks/index.ts";
import { forgetSecrets } from "../src/core/secrets/secret.ts";

forgetSecrets();
