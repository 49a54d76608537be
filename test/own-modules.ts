import { vi } from "vitest";

// Unit tests share a process, which saves half of their time, but no state: each file loads furrow's modules anew.
vi.resetModules();
