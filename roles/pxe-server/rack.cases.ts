/** The vars of a rack with two nodes, for tests. */
export const plainRack = {
  server: "192.168.0.90",
  network: "192.168.0.0/24",
  router: "192.168.0.1",
  dns: ["192.168.0.2"],
  vip: "192.168.0.175",
  token: "the-token",
  password: "the-password",
  nodes: [
    { name: "node-1", mac: "52:54:00:00:00:01", address: "192.168.0.11", device: "/dev/disk/by-id/a" },
    { name: "node-2", mac: "52:54:00:00:00:02", address: "192.168.0.12", device: "/dev/disk/by-id/b" },
  ],
};
