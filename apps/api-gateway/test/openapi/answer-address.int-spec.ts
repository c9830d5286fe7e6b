import { beforeAll, expect, test } from '@jest/globals';
import { type Description, everyPart, type Schema } from '../support/description.js';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

/** Schemas that stand inside of a message, whose `chatId` is the one to answer to. */
const INSIDE_OF_MESSAGES = ['QuotedInbound'];

let document: Description;

beforeAll(async () => {
  document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as Description;
});

/** Lists what has an author's address, with its name in the description. */
const withAuthor = (): [name: string, schema: Schema][] =>
  Object.entries(document.components.schemas).filter(([, { properties = {} }]) => 'remoteJid' in properties);

test('whoever finds the address of an author is told where answers go', () => {
  const untold = withAuthor().filter(
    ([, { properties }]) => !properties?.['remoteJid']?.description?.includes('nswers go to `chatId`'),
  );
  expect(withAuthor().length).toBeGreaterThan(5);
  expect(untold.map(([name]) => name)).toEqual([]);
});

test('the address to answer to is always there, and stands before that of the author', () => {
  for (const [name, { properties = {}, required = [] }] of withAuthor()) {
    if (INSIDE_OF_MESSAGES.includes(name)) continue;
    const addresses = Object.keys(properties).filter((field) => ['chatId', 'remoteJid'].includes(field));
    expect([name, ...addresses]).toEqual([name, 'chatId', 'remoteJid']);
    expect([name, required]).toEqual([name, expect.arrayContaining(['chatId'])]);
    const { description } = properties['chatId'] as Schema;
    expect([name, description]).toEqual([name, expect.stringContaining('answers go to it')]);
  }
});

test('an event from a chat says in its summary where answers go', () => {
  const names = withAuthor().map(([name]) => name);
  const told = Object.entries(document.webhooks).filter(([, { post }]) => {
    const { payload } = post.requestBody?.content['application/json']?.schema?.properties ?? {};
    return names.some((name) => payload?.['$ref'] === `#/components/schemas/${name}`);
  });
  expect(told.length).toBeGreaterThan(3);
  for (const [event, { post }] of told) {
    const { summary } = post as { summary?: string };
    expect([event, summary]).toEqual([event, expect.stringContaining('Answers go to `chatId`.')]);
  }
});

test('wherever words speak of the address of an author, they say where answers go', () => {
  const silent: string[] = [];
  everyPart(document, ({ description }, place) => {
    if (/remoteJid/.test(String(description)) && !/chatId/.test(String(description))) silent.push(place);
  });
  expect(silent).toEqual([]);
});
