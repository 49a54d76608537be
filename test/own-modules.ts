import { vi } from "vitest";

// Unit tests share a process, which halves their time, but they share no state: each file loads its own copy of
// furrow's modules.
vi.resetModules();
