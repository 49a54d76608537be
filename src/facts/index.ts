export { file, type FileState, type FileValue } from "./file.ts";
export { localFile, type LocalFile } from "./local-file.ts";
export { program, type Program } from "./program.ts";
export { ownUnitFiles } from "./unit-files.ts";
export { printNotes, unit, unitName, unitNotes, type UnitState } from "./unit.ts";
export { type CommandEnd, type UserCommand, userCommand } from "./user-command.ts";
