import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { UNHANDLED_NAMES } from '../../src/platform/whatsapp/unhandled/known-stanzas.js';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550128000';
const contact = '15550228000';

interface RawStanza {
  tag: string;
  attrs?: Record<string, string>;
  content?: RawStanza[] | { base64: string };
}

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ LEASE_MS: '3000' }));
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const give = (stanza: RawStanza, keep = false): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/stanzas`, { stanza, ...(keep ? { keep } : {}) });
const write = async (body: object): Promise<string> => {
  const message = { to: phone, text: 'what it says', ...body };
  return (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, message)).id;
};
const read = async (path: string): Promise<string> => (await fetch(`${worker.opsUrl}${path}`)).text();
/** Reads how often a name was counted. */
async function counted(name: string): Promise<number> {
  const lines = (await read('/metrics')).split('\n');
  const line = lines.find((each) => each.startsWith(`platform_unknown_stanzas_total{name="${name}",`));
  return Number(line?.split(' ').at(-1) ?? 0);
}
const becomes = (name: string, times: number): Promise<unknown> =>
  waitFor(`${name} to be counted`, async () => (await counted(name)) >= times, LONG_MS);
const nothingIsKept = (): Promise<unknown> =>
  waitFor(
    'the platform to keep nothing',
    async () => {
      const path = `/accounts/${phone}`;
      const account = await stage.platform.call<{ devices: { queued: number }[] }>('GET', path);
      return account.devices[0]?.queued === 0;
    },
    LONG_MS,
  );
const told = (keyId: string): unknown[] =>
  stage.eventsOf('message.received', sessionId).filter((data) => data['keyId'] === keyId);
/** Expects that what comes behind is told, and that no connection was lost. */
async function expectGoingOn(): Promise<void> {
  const keyId = await write({ text: 'behind it' });
  await waitFor('the message behind', () => told(keyId).length === 1, LONG_MS);
  expect(stage.eventsOf('session.disconnected', sessionId)).toEqual([]);
}

/** Makes a stanza that is counted under a name. */
function stanzaOf(name: string): RawStanza {
  const [tag = '', kind = '', more] = name.split(' ');
  const attrs = { id: randomUUID(), from: 's.whatsapp.net', t: '1790000000' };
  const part = { tag: more ?? 'anything' };
  switch (tag) {
    case 'notification':
      return { tag, attrs: { ...attrs, type: kind }, content: [part] };
    case 'receipt':
      return { tag, attrs: { ...attrs, from: `${contact}@s.whatsapp.net`, type: kind } };
    case 'iq':
      return { tag, attrs: { ...attrs, type: 'get', xmlns: kind } };
    default:
      return { tag, attrs: { from: attrs.from }, content: [{ tag: kind }] };
  }
}

const END = 'stream:error ack';
const OF_MESSAGES = UNHANDLED_NAMES.filter((name) => name.startsWith('message '));
const OTHERS = UNHANDLED_NAMES.filter((name) => name !== END && !OF_MESSAGES.includes(name));

describe('what is known and nobody handles is counted once, confirmed, and does no harm', () => {
  test.each(OTHERS)('%s', async (name) => {
    const before = await counted(name);
    await give(stanzaOf(name), name.startsWith('notification'));
    await becomes(name, before + 1);
    await nothingIsKept();
    expect(await counted(name)).toBe(before + 1);
  });

  test.each(OF_MESSAGES)('%s', async (name) => {
    const [, tag = '', type] = name.split(' ');
    const before = await counted(name);
    const keyId = await write(
      type === undefined ? { parts: [{ tag, content: { base64: 'AQID' } }] } : { sealedAttributes: { type } },
    );
    await becomes(name, before + 1);
    await waitFor('the message', () => told(keyId).length === 1, LONG_MS);
    await nothingIsKept();
  });

  test('the owner is told of no loss, and messages go on', expectGoingOn);
});

describe('a stanza that no table has', () => {
  const surprises: [string, RawStanza, string][] = [
    ['a notification', { ...stanzaOf('notification surprise') }, 'notification surprise'],
    ['a change of a group', stanzaOf('notification w:gp2 surprise'), 'notification w:gp2 surprise'],
    ['a question', stanzaOf('iq surprise'), 'iq surprise'],
    ['a notice', stanzaOf('ib surprise'), 'ib surprise'],
    ['a tag', { tag: 'surprise', attrs: { from: `${contact}@s.whatsapp.net` } }, 'surprise'],
  ];
  test.each(surprises)(
    '%s is a warning, a figure and a shape that names nobody',
    async (_what, stanza, name) => {
      await give(stanza, stanza.tag === 'notification');
      await becomes(name, 1);
      const line = `"stanza":"${name}"`;
      await waitFor('the line', () => worker.log().includes(line), LONG_MS);
      await give(stanza);
      await becomes(name, 2);
      await nothingIsKept();
      expect(worker.log().split(line)).toHaveLength(2);
      expect(worker.log()).not.toContain(contact);
      const { items } = JSON.parse(await read('/unhandled-stanzas')) as { items: { name: string }[] };
      expect(items.filter((item) => item.name === name)).toHaveLength(2);
      expect(JSON.stringify(items)).not.toContain(contact);
    },
  );

  test('a content of a field that nobody knows is counted by its number', async () => {
    // Field 4000 of the message, three bytes.
    const plaintext = Buffer.from([0x82, 0xfa, 0x01, 3, 1, 2, 3]).toString('base64');
    await write({ plaintext });
    await becomes('content field 4000', 1);
    await nothingIsKept();
    await expectGoingOn();
  });
});

describe('a status that nobody can read', () => {
  test('holds back nothing that comes after it', async () => {
    const attributes = { from: 'status@broadcast', participant: `${contact}@s.whatsapp.net` };
    const id = await write({ attributes, flaws: { undecryptable: 1_000 } });
    await nothingIsKept();
    await worker.kill();
    const late = await write({ text: 'late' });
    await worker.start();
    await stage.reached(sessionId, 'CONNECTED');
    await waitFor('what was written after it', () => told(late).length === 1, LONG_MS);
    await nothingIsKept();
    expect(told(id)).toEqual([]);
  });
});

describe('what is confirmed without being told is counted by its reason', () => {
  const untold = async (reason: string): Promise<number> =>
    Number(
      (await read('/metrics')).match(new RegExp(`messages_untold_total{reason="${reason}"} (\\d+)`))?.[1] ??
        0,
    );

  test('a message from an address of no known kind', async () => {
    const before = await untold('address');
    await write({ attributes: { from: `${contact}@example` } });
    await waitFor('the figure', async () => (await untold('address')) === before + 1, LONG_MS);
    await nothingIsKept();
  });

  test('a message without an id', async () => {
    const before = await untold('headless');
    await give({
      tag: 'message',
      attrs: { from: `${contact}@s.whatsapp.net`, t: '1790000000' },
      content: [{ tag: 'enc' }],
    });
    await waitFor('the figure', async () => (await untold('headless')) === before + 1, LONG_MS);
  });
});

test('the end of a stream over missing acknowledgements is counted, and followed by another connection', async () => {
  await give({ tag: 'stream:error', attrs: { code: '500' }, content: [{ tag: 'ack' }] });
  await becomes(END, 1);
  await stage.reached(sessionId, 'CONNECTED');
  await waitFor('the loss', () => stage.eventsOf('session.disconnected', sessionId).length > 0, LONG_MS);
});
