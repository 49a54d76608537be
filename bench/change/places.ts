/** Where on a host the `change` benchmark creates its files, which are removed before each run. */
export const changedPath = "/srv/bench-change";
