import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { createTenant, type NewTenant } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun } from '../stage/stage.js';
import { LIMIT_MS, PageLink, Person, press, says } from './person.js';

// A person with a real browser, from the address of the link page to the linked number.
const TEST_MS = 240_000;

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

const opened = (rules?: object): Promise<PageLink> => PageLink.open(stack, tenant.apiKey, person, rules);

/** Opens a link page and comes as far as the passkey. */
async function asked(rules?: object): Promise<PageLink> {
  const link = await opened(rules);
  await link.scan();
  await says(link.page, 'Your account wants its passkey');
  return link;
}

test(
  'a number is linked on the page, with the passkey of its account, and tells itself so',
  async () => {
    const link = await asked();
    await link.givePasskey();
    const code = await link.code();
    expect(await stack.platform('GET', `/accounts/${link.phone}/passkey`)).toMatchObject({ code });
    await link.confirm();
    await link.confirmOnPhone(code);
    await says(link.page, 'Your number is linked');
    await waitFor(
      'the message of the number to itself',
      async () => {
        const path = `/contacts/${link.phone}/messages?from=${link.phone}`;
        const inbox = await stack.platform<{ items: { text: string | null }[] }>('GET', path);
        return inbox.items.some(({ text }) => text?.includes('Acme Flowers'));
      },
      LIMIT_MS,
    );
  },
  TEST_MS,
);

test(
  'whose page is on that very phone types a code, and gives the passkey on a computer',
  async () => {
    const link = await opened();
    await link.finish(() => link.typeCode());
  },
  TEST_MS,
);

test(
  'whose phone shows another code stops, reads so, and the second try works',
  async () => {
    const link = await asked();
    await link.givePasskey();
    await link.code();
    await press(link.page, 'No, stop');
    await says(link.page, 'it was stopped');
    await link.finish();
  },
  TEST_MS,
);

test(
  'who comes too late with the passkey reads so, and the second try works',
  async () => {
    const link = await asked({ challengeMs: 8_000 });
    await says(link.page, 'the time was over');
    await link.wants({ challengeMs: 600_000 });
    await link.finish();
  },
  TEST_MS,
);

test(
  'whose passkey the platform refuses reads so, and the second try works',
  async () => {
    const link = await asked({ failAt: 'prologue' });
    await link.givePasskey();
    await link.page.bringToFront();
    await says(link.page, 'the platform has refused the passkey');
    await link.wants({ failAt: null });
    await link.finish();
  },
  TEST_MS,
);

test(
  'who has closed the page goes on in another tab, and a second one shows the same',
  async () => {
    const link = await asked();
    await link.page.close();
    link.page = await person.open(link.address);
    await says(link.page, 'Your account wants its passkey');
    const second = await person.open(link.address);
    await says(second, 'Your account wants its passkey');
    await link.givePasskey();
    const code = await link.code();
    await second.bringToFront();
    await says(second, code);
    await press(second, 'Yes, it is the same');
    await link.confirmOnPhone(code);
    await says(second, 'Your number is linked');
    await link.page.bringToFront();
    await says(link.page, 'Your number is linked');
  },
  TEST_MS,
);
