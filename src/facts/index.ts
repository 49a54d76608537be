export { file, type FileState, type FileValue } from "./file.ts";
export { localFile, type LocalFile } from "./local-file.ts";
