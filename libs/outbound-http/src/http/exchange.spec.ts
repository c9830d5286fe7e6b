import { expect, test } from '@jest/globals';
import { statusError, transportError } from './exchange.js';

test('2xx is the only success', () => {
  expect([200, 201, 204, 299].map(statusError)).toEqual([null, null, null, null]);
  expect([199, 300, 304, 400, 500].every((status) => statusError(status) !== null)).toBe(true);
});

test.each([
  ['ECONNREFUSED', 'CONNECTION_REFUSED'],
  ['ENOTFOUND', 'NAME_NOT_RESOLVED'],
  ['UND_ERR_CONNECT_TIMEOUT', 'TIMEOUT'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS_FAILED'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS_FAILED'],
  ['DESTINATION_NOT_ALLOWED', 'DESTINATION_NOT_ALLOWED'],
  ['EWHATEVER', 'CONNECTION_FAILED'],
])('the code of the system %s is %s to the tenant', (code, expected) => {
  const error = Object.assign(new Error('connect 10.1.2.3:443'), { code });
  expect(transportError(error)).toBe(expected);
  expect(transportError(new AggregateError([error]))).toBe(expected);
});
