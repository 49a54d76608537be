/**
 * The minimum file size in bytes for which a stamp saves time: hashing a smaller file is as fast as reading its stamp.
 */
export const stampedBytes = 4 * 1024 * 1024;
