import { existsSync } from "node:fs";

/** The shells on this machine in which the kinds' scripts are tested, each with its arguments. */
export const shells = [["dash"], ["bash"], ["busybox", "sh"]].filter(([shell = ""]) => existsSync(`/usr/bin/${shell}`));
