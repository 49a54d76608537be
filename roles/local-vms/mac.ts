/**
 * The MAC address of a machine's network card: always the same for the same name, so that cloud-init can use it to find
 * the card. It is locally administered (02:…), and the rest is a hash (FNV-1a).
 */
export function macOf(machine: string, namespace: string, index: number): string {
  const hash = (text: string): number => {
    let state = 0x811c9dc5;
    for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
    return state;
  };
  const id = `${namespace}/${machine}/${index}`;
  const bytes = [hash(id) >>> 24, hash(id) >>> 16, hash(id) >>> 8, hash(id), hash(`${id} more`)];
  return ["02", ...bytes.map((one) => (one & 0xff).toString(16).padStart(2, "0"))].join(":");
}
