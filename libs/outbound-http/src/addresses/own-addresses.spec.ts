import type { networkInterfaces, NetworkInterfaceInfo } from 'node:os';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { envVariables, loadConfig, ServiceConfig } from '@svc/service';
import { AddressList, OwnAddresses, OwnNetworks } from './own-addresses.js';

class ShopConfig extends ServiceConfig {
  @OwnAddresses()
  readonly ownAddresses: string[] = [];

  @AddressList('TRUSTED_PROXIES', { description: 'Proxies in front.', example: '10.0.0.1' })
  readonly trustedProxies: string[] = [];
}

const load = (env: Record<string, string>): Readonly<ShopConfig> =>
  loadConfig(ShopConfig, {
    DATABASE_URL: 'postgres://localhost/db',
    NATS_URL: 'nats://localhost',
    NATS_USER: 'shop',
    NATS_PASSWORD: 'secret',
    ...env,
  });
const MUST_HOLD = 'must hold addresses or networks such as 93.184.216.34 or 93.184.216.0/24';

describe('a variable with addresses', () => {
  test('is listed under its name, with what it is for and an example that it takes', () => {
    const [own, proxies] = ['ownAddresses', 'trustedProxies'].map((name) =>
      envVariables(ShopConfig).find(({ property }) => property === name),
    );
    expect(own).toMatchObject({ name: 'OWN_ADDRESSES' });
    expect(own?.description).toContain('the address guard refuses them like private ones');
    expect(load({ OWN_ADDRESSES: own?.example ?? '' }).ownAddresses).toEqual([
      '93.184.216.34',
      '2606:2800:220::/48',
    ]);
    expect(proxies).toMatchObject({
      ...{ name: 'TRUSTED_PROXIES', description: 'Proxies in front.', example: '10.0.0.1' },
    });
  });

  test.each(['0.0.0.0/0', '93.184.216.0/24', '93.184.216.34/32', '::/0', '2606:2800:220::1/128', '::1'])(
    'takes %s',
    (text) => {
      expect(load({ OWN_ADDRESSES: text }).ownAddresses).toEqual([text]);
    },
  );

  test.each([
    'gateway.example',
    '93.184.216',
    '93.184.216.0/33',
    '2606:2800::/129',
    '93.184.216.0/',
    '93.184.216.0/a',
    '93.184.216.0/8a',
    '93.184.216.0/a8',
    '93.184.216.0/-1',
    '93.184.216.0/0024',
    '93.184.216.0/24/8',
    'fe80::1%eth0',
    '/24',
    '93.184.216.34,',
    '93.184.216.34,nonsense',
  ])('refuses %s, and says what it must hold', (text) => {
    expect(() => load({ OWN_ADDRESSES: text })).toThrow(`OWN_ADDRESSES ${MUST_HOLD}`);
  });

  test('is refused where it is no list', () => {
    class WrongConfig extends ServiceConfig {
      @OwnAddresses()
      readonly ownAddresses: unknown = { every: () => true };
    }
    const base = {
      DATABASE_URL: 'postgres://localhost/db',
      NATS_URL: 'nats://localhost',
      NATS_USER: 'shop',
      NATS_PASSWORD: 'secret',
    };
    expect(() => loadConfig(WrongConfig, base)).toThrow('OWN_ADDRESSES');
  });
});

type Interfaces = ReturnType<typeof networkInterfaces>;

/** Describes a machine whose interfaces have these addresses. */
const machineWith = (...addresses: string[]): Interfaces => ({
  lo: addresses.map((address) => ({ address }) as NetworkInterfaceInfo),
  down: undefined,
});
const NOTHING = (): Interfaces => ({});

describe('networks of ours', () => {
  const has = (texts: string[], ...addresses: string[]): boolean[] => {
    const networks = new OwnNetworks(texts, NOTHING);
    return addresses.map((address) => networks.has(address));
  };

  test('hold an address that is configured, and no other', () => {
    expect(has(['93.184.216.34'], '93.184.216.34', '93.184.216.35', '93.184.217.34')).toEqual([
      true,
      false,
      false,
    ]);
    expect(has(['2606:2800:220::1'], '2606:2800:220:0::1', '2606:2800:220::2')).toEqual([true, false]);
  });

  test('hold all of a network, from its first address to its last', () => {
    const addresses = ['93.184.215.255', '93.184.216.0', '93.184.216.255', '93.184.217.0'];
    expect(has(['93.184.216.0/24'], ...addresses)).toEqual([false, true, true, false]);
    expect(has(['2606:2800:220::/48'], '2606:2800:220:ffff::1', '2606:2800:221::')).toEqual([true, false]);
    expect(has(['0.0.0.0/0'], '1.1.1.1', '255.255.255.255')).toEqual([true, true]);
  });

  test('hold several, of both families', () => {
    const own = ['93.184.216.34', '2606:2800:220::/48', '93.184.217.0/24'];
    expect(has(own, '93.184.216.34', '2606:2800:220::9', '93.184.217.1', '93.184.218.1')).toEqual([
      ...[true, true, true],
      false,
    ]);
  });

  test('hold nothing that is no address', () => {
    expect(has(['0.0.0.0/0', '::/0'], '', 'localhost', '1.1.1', '1.1.1.1/32')).toEqual([
      ...[false, false],
      ...[false, false],
    ]);
  });
});

describe('addresses of this machine', () => {
  let now: number;
  beforeEach(() => {
    now = 100;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => void jest.restoreAllMocks());

  test('are ours, of every family', () => {
    const networks = new OwnNetworks([], () => machineWith('93.184.216.34', '2606:2800:220::1'));
    expect(networks.has('93.184.216.34')).toBe(true);
    expect(networks.has('2606:2800:220::1')).toBe(true);
    expect(networks.has('93.184.216.35')).toBe(false);
  });

  test('are read at the first question, and again five seconds later', () => {
    let machine = machineWith('93.184.216.34');
    const networks = new OwnNetworks([], () => machine);
    expect(networks.has('93.184.216.34')).toBe(true);
    machine = machineWith('93.184.216.35');
    now += 4_999;
    expect([networks.has('93.184.216.34'), networks.has('93.184.216.35')]).toEqual([true, false]);
    now += 1;
    expect([networks.has('93.184.216.34'), networks.has('93.184.216.35')]).toEqual([false, true]);
  });

  test('hold as they were where they cannot be read, and are not read for each question', () => {
    let reads = 0;
    let machine: Interfaces | undefined = machineWith('93.184.216.34');
    const networks = new OwnNetworks([], () => {
      reads += 1;
      if (!machine) throw Object.assign(new Error('no descriptors'), { code: 'ERR_SYSTEM_ERROR' });
      return machine;
    });
    expect(networks.has('93.184.216.34')).toBe(true);
    machine = undefined;
    now += 5_000;
    for (let n = 0; n < 3; n += 1) expect(networks.has('93.184.216.34')).toBe(true);
    expect(reads).toBe(2);
    // An address that cannot be entered loses none of the others either.
    machine = machineWith('93.184.216.35', 'nonsense');
    now += 5_000;
    expect(networks.has('93.184.216.34')).toBe(true);
  });
});
