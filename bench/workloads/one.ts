/** One thing: a file. */
export const one = { path: "/etc/bench-one.conf", content: "setting = value\n" } as const;
