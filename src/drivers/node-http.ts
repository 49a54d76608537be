/**
 * Node's module http. It is not imported: an import reads every member of a module, and the members that come from
 * Node's fetch would load all of that, which takes longer than a whole request.
 */
export const { Agent, request } = process.getBuiltinModule("node:http");
