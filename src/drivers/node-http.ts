/**
 * Node's http module, loaded without an import. An import reads every member of a module, and some members would load
 * all of Node's fetch, which takes longer than a whole request.
 */
export const { Agent, request } = process.getBuiltinModule("node:http");
