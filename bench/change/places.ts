/** Where on a host the benchmark `change` creates its files, which are removed before each run. */
export const changedPath = "/srv/bench-change";
