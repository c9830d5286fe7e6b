import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Envelope, parseData, parseEnvelope, readEnvelope } from './parsing.js';
import { MessageReceived, MessageSent } from './events/message-events.js';

const ID = '0198c0de-0000-7000-8000-000000000001';

describe('an envelope', () => {
  const data = {
    sessionId: ID,
    jobId: ID,
    messageId: ID,
    keyId: '3EB0',
    clientMessageId: null,
    to: '4915112345678@s.whatsapp.net',
    timestamp: '2026-01-31T12:00:00.000Z',
  };
  const envelope = (fields: object = {}): object => ({
    id: ID,
    type: 'message.sent',
    version: 1,
    tenantId: ID,
    occurredAt: '2026-01-31T12:00:00.000Z',
    data,
    ...fields,
  });

  test('is checked together with the data inside', () => {
    const parsed = parseEnvelope(MessageSent, envelope());
    expect(parsed).toBeInstanceOf(Envelope);
    expect(parsed.data).toBeInstanceOf(MessageSent.data);
    expect(() => parseEnvelope(MessageSent, envelope({ data: { ...data, jobId: 1 } }))).toThrow('jobId');
  });

  test('of another event is refused, naming both', () => {
    expect(() => parseEnvelope(MessageReceived, envelope())).toThrow(
      'Expected message.received v1, got message.sent v1.',
    );
  });

  test.each(['id', 'type', 'version', 'tenantId', 'occurredAt', 'data'])('without %s is refused', (field) => {
    expect(() => parseEnvelope(MessageSent, envelope({ [field]: undefined }))).toThrow(field);
  });

  test('that is read for its data only is refused for the same reasons, and its data are left alone', () => {
    const odd = { ...data, unknown: [1, { deep: true }] };
    const read = readEnvelope(envelope({ data: odd, unknown: 1 }));
    expect(read).toBeInstanceOf(Envelope);
    expect({ ...read }).toEqual({ ...(envelope() as Envelope), data: odd });

    const field = fc.constantFrom('id', 'type', 'version', 'tenantId', 'occurredAt', 'traceparent', 'data');
    const value = fc.oneof(
      fc.constantFrom<unknown>(undefined, null, 0, 1, 1.5, -1, '', ID, ID.toUpperCase(), [], {}, [ID], true),
      fc.constantFrom(
        '2026-01-31',
        '2026-13-31T12:00:00.000Z',
        '2026-01-31T12:00:00Z',
        '2026-01-31T12:00:00.000+01:00',
      ),
      fc.constantFrom('00000000-0000-0000-0000-000000000000', '01890a5d-ac96-974b-1cfa-e3a4f8d6c1b2', 'x'),
      fc.anything(),
    );
    const outcome = (check: () => object): string => {
      try {
        check();
        return 'taken';
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(field, value, (name, odd) => {
        const plain = envelope({ [name]: odd });
        expect(outcome(() => readEnvelope(plain))).toBe(outcome(() => parseData(Envelope, plain)));
      }),
      { numRuns: 2_000 },
    );
  });
});
