/** The prefix of the names of furrow's own files in modprobe.d and modules-load.d. */
export const ownPrefix = "furrow-";
/** The folder with the modules that systemd loads at boot (modules-load.d(5)). */
export const bootFolder = "/etc/modules-load.d";
/** The folder with the options and blacklists that modprobe reads (modprobe.d(5)). */
export const configFolder = "/etc/modprobe.d";
