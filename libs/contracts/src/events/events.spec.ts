import { describe, expect, test } from '@jest/globals';
import type { EventContract } from '../contract.js';
import { EVENTS, PUBLIC_EVENTS, UNNAMED_EVENTS } from './events.js';
import * as door from './index.js';

const defined = Object.values<unknown>({ ...door }).filter(
  (value): value is EventContract => (value as { kind?: unknown }).kind === 'event',
);

describe('the list of events', () => {
  test('has each event that is defined, once', () => {
    expect(EVENTS).toHaveLength(defined.length);
    expect(new Set<EventContract>(EVENTS)).toEqual(new Set(defined));
  });

  test('names the owner of each public event, and says in a sentence what has happened', () => {
    for (const { public: shown, by, summary } of EVENTS) {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      if (shown) expect(by).not.toHaveLength(0);
    }
  });
});

test('public events are described in the order of the specification, ours last', () => {
  expect(PUBLIC_EVENTS).toEqual([
    'message.received',
    'message.sent',
    'message.delivered',
    'message.read',
    'message.failed',
    'session.connected',
    'session.disconnected',
    'session.qr_generated',
    'session.logged_out',
    'session.passkey_required',
    'session.passkey_changed',
    'session.pairing_code_replaced',
    'session.bot_mode_changed',
    'webhook.paused',
    'webhook.recovered',
    'message.poll_vote',
    'message.live_location',
    'call.received',
    'conversation.handoff',
  ]);
});

test('an endpoint that names no event gets the nine of the specification, however many there are', () => {
  expect(UNNAMED_EVENTS).toEqual(PUBLIC_EVENTS.slice(0, 9));
  expect(UNNAMED_EVENTS.at(-1)).toBe('session.logged_out');
});
