/** The archive formats, with their file name suffixes and the program that a tar file's compression needs. */
export const formats = {
  tar: { names: [".tar"], filter: undefined },
  "tar.gz": { names: [".tar.gz", ".tgz"], filter: "gzip" },
  "tar.xz": { names: [".tar.xz", ".txz"], filter: "xz" },
  "tar.zst": { names: [".tar.zst", ".tzst"], filter: "zstd" },
  "tar.bz2": { names: [".tar.bz2", ".tbz2", ".tbz"], filter: "bzip2" },
  zip: { names: [".zip"], filter: undefined },
} as const;

/** The name of a format. */
export type Format = keyof typeof formats;

/** The names of all formats. */
export const formatNames = Object.keys(formats) as [Format, ...Format[]];

/** Returns the format that a file's name indicates, if any. */
export function formatOf(path: string): Format | undefined {
  return formatNames.find((format) => formats[format].names.some((name) => path.toLowerCase().endsWith(name)));
}
