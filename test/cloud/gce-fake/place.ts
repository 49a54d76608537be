/** The fake's project. */
export const project = "project-1";
/** One of the fake's zones. */
export const zone = "europe-west3-a";
