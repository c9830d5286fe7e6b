/**
 * Addresses of the programs, by their apps: there is one network for all, so that each has an address of its own in place of a port. It stands in
 * HOST, but for the simulator, which listens on its name.
 */
export const ADDRESSES = {
  'api-gateway': '127.0.1.1',
  'session-worker': '127.0.1.2',
  'webhook-dispatcher': '127.0.1.3',
  limits: '127.0.1.4',
  billing: '127.0.1.5',
  simulator: '127.0.1.6',
};

/** Names in the files of hosts of all containers, in place of the Services of a cluster. */
export const HOSTS = `127.0.0.1 localhost nats postgres\n${ADDRESSES.simulator} simulator\n`;
