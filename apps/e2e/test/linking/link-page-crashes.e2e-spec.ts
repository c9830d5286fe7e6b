import { afterAll, beforeAll, test } from '@jest/globals';
import { createTenant, type NewTenant } from '../../src/stack/actor.js';
import { untilReplaced } from '../../src/load/crowd.js';
import { dieAt } from '../../src/load/die-at.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun } from '../stage/stage.js';
import { LIMIT_MS, PageLink, Person, says } from './person.js';

// The worker dies at each step of a link with a passkey, while a person with a real browser is about it.
const WORKER = 'session-worker';

let stack: Stack;
let tenant: NewTenant;
let person: Person;

beforeAll(async () => {
  stack = await stackOfRun();
  tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
  await stack.operator('tenants', 'confirm-name', tenant.tenantId, '--name', 'Acme Flowers');
  person = await Person.start();
}, LIMIT_MS);
afterAll(() => person.stop());

/** Part of the person, as far as the worker lives. */
type Part = (link: PageLink) => Promise<void>;

const scans: Part = (link) => link.scan();
const answers: Part = async (link) => {
  await link.scan();
  await says(link.page, 'Your account wants its passkey');
  await link.givePasskey();
};
const confirms: Part = async (link) => {
  await answers(link);
  await link.code();
  await link.confirm();
};
const confirmsOnBoth: Part = async (link) => {
  await answers(link);
  const code = await link.code();
  await link.confirm();
  await link.confirmOnPhone(code);
};

test.each<[string, string, Part]>([
  ['it is asked for the passkey', 'link-1', scans],
  ['it has acknowledged that', 'link-2', scans],
  ['it has the answer of the browser', 'link-3', answers],
  ['it has the reference', 'link-4', answers],
  ['the platform has taken the answer', 'link-5', answers],
  ['the phone goes on', 'link-6', answers],
  ['its commitment is open', 'link-7', answers],
  ['a person has confirmed the code', 'link-8', confirms],
  ['the platform has taken its keys', 'link-9', confirms],
  ['the platform has linked it', 'link-10', confirmsOnBoth],
])(
  'whose worker dies when %s is shown another code, with the reason, and the second try works',
  async (_when, step, does) => {
    const link = await PageLink.open(stack, tenant.apiKey, person);
    const { pid, died } = await dieAt(stack, { process: WORKER, app: WORKER, step, passes: 0 });
    await does(link);
    await died();
    await untilReplaced(stack, WORKER, pid);
    await link.page.bringToFront();
    await link.page.waitForSelector('.scan svg path', { timeout: LIMIT_MS });
    // The page has nothing to tell about a passkey that it has not shown yet.
    if (does !== scans) await says(link.page, 'the connection was lost');
    await link.finish();
    await link.page.close();
  },
  240_000,
);
