import { services } from '../../source/services.mjs';

const APPS = [...services.map(({ app }) => app), 'simulator'];

/**
 * Addresses of the programs, by their apps: there is one network for all, so that each has an address of its own in place of a port. It stands in
 * HOST, but for the simulator, which listens on its name.
 */
export const ADDRESSES = Object.fromEntries(APPS.map((app, index) => [app, `127.0.1.${index + 1}`]));

/** Names in the files of hosts of all containers, in place of the Services of a cluster. */
export const HOSTS = `127.0.0.1 localhost nats postgres\n${ADDRESSES.simulator} simulator\n`;
