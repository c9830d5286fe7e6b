import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MessageReceived, type NewTenant } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Description, operationsOf } from '../support/description.js';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

let unpaid: NewTenant;
let sessionId: string;
beforeAll(async () => {
  unpaid = await gateway.createTenant({ subscription: 'UNPAID' });
  sessionId = gateway.fakes.addSession(unpaid.tenantId, { phone: null }).id;
});

const call = (route: string, body?: object): Promise<Answer> => gateway.call(unpaid.apiKey, route, body);

describe('a subscription that is not active', () => {
  test('stops sends, new sessions, connecting, pairing codes and link pages, and says that all else goes on', async () => {
    const path = `/v1/sessions/${sessionId}`;
    const stopped: [string, object?][] = [
      ['POST /v1/messages', { sessionId, to: '+15550001111', text: 'x' }],
      ['POST /v1/sessions', { name: 'Sales' }],
      [`POST ${path}/connect`],
      [`POST ${path}/pairing-code`, { phone: '+15550001111' }],
      [`POST ${path}/link-page`, {}],
    ];
    for (const [route, body] of stopped) {
      const { status, body: refusal } = await call(route, body);
      expect({ status, ...refusal }).toMatchObject({
        ...{ status: 402, code: 'PAYMENT_REQUIRED', meta: { subscription: 'UNPAID' } },
        message: expect.stringContaining('all else goes on'),
      });
    }
  });

  test('stops nothing else: no other route has a 402, but that which reads a subscription that there is not', async () => {
    const { body } = await gateway.call(undefined, 'GET /openapi.json');
    const stopped = operationsOf(body as unknown as Description).filter(
      ([, { responses }]) => '402' in responses,
    );
    expect(stopped.map(([, { operationId }]) => operationId).toSorted()).toEqual([
      ...[
        'approveDraft',
        'connectSession',
        'createLinkPage',
        'createSession',
        'editDraft',
        'getSubscription',
        'requestPairingCode',
        'sendMessage',
      ],
    ]);
  });

  test('lets in what people write, and the tenant reads it', async () => {
    const messageId = randomUUID();
    const data = {
      ...{
        sessionId,
        messageId,
        keyId: '3EB0',
        remoteJid: '15550001111@s.whatsapp.net',
        phone: '+15550001111',
      },
      ...{ pushName: 'Ada', timestamp: new Date().toISOString(), fromMe: false },
      body: { type: 'text', text: 'Are you open?' },
    };
    await gateway.fakes.messaging.publishEvent(envelopeOf(MessageReceived, unpaid, data as never));
    await waitFor('the message', async () => (await call(`GET /v1/messages/${messageId}`)).status === 200);
  });
});
