import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';

test('no connection leaves the machine', async () => {
  await expect(fetch('https://203.0.113.1/')).rejects.toThrow();
  expect(() => connect(443, '203.0.113.1')).toThrow('loopback alone');
  expect(() => connect({ host: 'mmg.example', port: 443 })).toThrow('loopback alone');
  expect(() => lookup('mmg.example')).toThrow('loopback alone');
});
