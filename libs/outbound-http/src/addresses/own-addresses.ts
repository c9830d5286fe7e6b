import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Env } from '@svc/service';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { listOf } from './allowed-origins.js';

/** Reads a variable with addresses and networks, separated by commas. */
export function AddressList(
  name: string,
  options: { description: string; example: string },
): PropertyDecorator {
  const decorators = [
    Env(name, options),
    Transform(({ value }) => listOf(value)),
    ValidateBy({
      name: 'addressList',
      validator: {
        validate: (value) => Array.isArray(value) && value.every((one) => rangeOf(String(one)) !== undefined),
        defaultMessage: () =>
          '$property must hold addresses or networks such as 93.184.216.34 or 93.184.216.0/24',
      },
    }),
  ];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** Reads the variable with the addresses of this installation that are public by number. */
export function OwnAddresses(): PropertyDecorator {
  return AddressList('OWN_ADDRESSES', {
    description:
      'Public addresses and networks of this installation (load balancers, NAT gateways, nodes): the address guard refuses them like private ones. Those of the machine itself it knows.',
    example: '93.184.216.34,2606:2800:220::/48',
  });
}

interface Range {
  address: string;
  bits: number;
  family: 'ipv4' | 'ipv6';
}

/** Time for which the addresses of this machine are used before they are read again: interfaces come and go. */
const MAX_AGE_MS = 5_000;

/** This class knows the addresses under which we ourselves can be reached: those that are configured, and this machine's. */
export class OwnNetworks {
  private readonly configured = new BlockList();
  private machine = new BlockList();
  private readAtMs = -Infinity;

  constructor(
    texts: readonly string[],
    private readonly read: typeof networkInterfaces = networkInterfaces,
  ) {
    for (const { address, bits, family } of texts.flatMap((text) => rangeOf(text) ?? [])) {
      this.configured.addSubnet(address, bits, family);
    }
  }

  has(address: string): boolean {
    if (isIP(address) === 0) return false;
    const family = familyOf(address);
    return this.configured.check(address, family) || this.ofThisMachine().check(address, family);
  }

  private ofThisMachine(): BlockList {
    if (performance.now() - this.readAtMs < MAX_AGE_MS) return this.machine;
    this.readAtMs = performance.now();
    try {
      const list = new BlockList();
      for (const { address } of Object.values(this.read()).flatMap((addresses) => addresses ?? [])) {
        list.addAddress(address, familyOf(address));
      }
      this.machine = list;
    } catch {
      // The old addresses hold where the process has no descriptors, or no permission. Nobody who asks could do anything about it.
    }
    return this.machine;
  }
}

function rangeOf(text: string): Range | undefined {
  const [address = '', size, ...more] = text.split('/');
  if (isIP(address) === 0 || address.includes('%') || more.length > 0) return undefined;
  const most = isIPv4(address) ? 32 : 128;
  if (size !== undefined && !(/^\d{1,3}$/.test(size) && Number(size) <= most)) return undefined;
  return { address, bits: size === undefined ? most : Number(size), family: familyOf(address) };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
