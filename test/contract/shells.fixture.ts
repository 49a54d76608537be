import { existsSync } from "node:fs";

/** The shells of this machine that the scripts of kinds are tried in, each with its arguments. */
export const shells = [["dash"], ["bash"], ["busybox", "sh"]].filter(([shell = ""]) => existsSync(`/usr/bin/${shell}`));
