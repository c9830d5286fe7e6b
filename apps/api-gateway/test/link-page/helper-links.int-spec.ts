import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { expectError } from '../support/answers.js';
import { gateway, withGateway } from '../support/gateway.js';
import { ASSERTION, BEHIND_PROXY, confirmName, help, helper, opened, page, unlinked } from './links.js';

withGateway(BEHIND_PROXY);

let id: string;
let key: string;

beforeAll(async () => void (await confirmName()));
beforeEach(async () => {
  ({ id } = unlinked('PASSKEY_REQUIRED'));
  key = await opened(id);
  gateway.fakes.linking.bring(id, 'challenge');
});

const made = async (): Promise<string> =>
  String((await page('POST /passkey/helper', undefined, key)).body['token']);
const open = (token: string) => helper('open', { token });

test('the helper gets the challenge, and answers it for this session', async () => {
  const { status, body } = await open(await made());
  expect([status, body['options']]).toEqual([200, { challenge: 'Y2hhbGxlbmdl', rpId: 'whatsapp.com' }]);
  expect((await helper('response', ASSERTION, String(body['key']))).status).toBe(204);
  expect(gateway.fakes.linking.answers.at(-1)).toMatchObject({ sessionId: id, assertion: ASSERTION });
});

test('its address is opened once, and answers once', async () => {
  const token = await made();
  const { body } = await open(token);
  expectError(await open(token), 409, 'LINK_CONFLICT');
  const answer = () => helper('response', ASSERTION, String(body['key']));
  expect((await answer()).status).toBe(204);
  expectError(await answer(), 410, 'LINK_ENDED');
});

test('a newer address replaces it', async () => {
  const first = await made();
  const second = await made();
  expectError(await open(first), 404, 'LINK_NOT_FOUND');
  expect((await help(second)).status).toBe(204);
});

test('it is for one challenge, and none that comes after it', async () => {
  const { body } = await open(await made());
  gateway.fakes.linking.bring(id, 'challenge', 'YW5vdGhlcg');
  expectError(await helper('response', ASSERTION, String(body['key'])), 410, 'LINK_ENDED');
  const token = await made();
  gateway.fakes.linking.bring(id, 'challenge');
  expectError(await open(token), 410, 'LINK_ENDED');
});

test('an answer that is refused can be given once more', async () => {
  const { body } = await open(await made());
  const wrong = { ...ASSERTION, type: 'password' };
  expectError(await helper('response', wrong, String(body['key'])), 400, 'VALIDATION_FAILED');
  expect((await helper('response', ASSERTION, String(body['key']))).status).toBe(204);
});

test('neither its key nor its token is good for anything else', async () => {
  const token = await made();
  const helperKey = String((await open(token)).body['key']);
  expectError(await page('GET ', undefined, helperKey), 404, 'LINK_NOT_FOUND');
  expectError(await page('POST /look', { token }), 404, 'LINK_NOT_FOUND');
  expectError(await helper('response', ASSERTION, key), 404, 'LINK_NOT_FOUND');
  expectError(await gateway.call(helperKey, 'GET /v1/sessions'), 401, 'UNAUTHENTICATED');
});

test('there is no address where nothing is to be answered', async () => {
  gateway.fakes.linking.bring(id, 'compare');
  expectError(await page('POST /passkey/helper', undefined, key), 409, 'PASSKEY_CONFLICT');
});

test('neither challenge nor answer is in a table', async () => {
  await help(await made());
  const rows = await gateway.service.database.query('SELECT t::text AS row FROM gateway.single_use_link t');
  expect(JSON.stringify(rows)).not.toContain('Y2hhbGxlbmdl');
});
