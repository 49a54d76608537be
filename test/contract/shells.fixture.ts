import { existsSync } from "node:fs";

/** The shells of this machine in which the kinds' scripts are tried, each with its arguments. */
export const shells = [["dash"], ["bash"], ["busybox", "sh"]].filter(([shell = ""]) => existsSync(`/usr/bin/${shell}`));
