import { expect, test } from '@jest/globals';
import { readyScreen } from './screen.js';
import type { StackDescription } from './state/stack-file.js';

const stack: StackDescription = {
  gateway: 'http://127.0.0.1:3000',
  operator: [],
  platform: {
    websocket: 'ws://127.0.0.1:7070/ws/chat',
    control: 'http://127.0.0.1:7071',
    trustRoot: 'ab',
    ca: null,
    llm: 'http://127.0.0.1:7073/llm/v1',
  },
  postgres: 'postgres://secret',
  nats: 'nats://127.0.0.1:4222',
  webhooks: { delaysMs: [0], timeoutMs: 1, allowedOrigins: [] },
  demo: { tenantId: 't', apiKey: 'the-demo-key', testKey: 'the-test-key', email: 'e', password: 'p' },
  processes: [],
};

test('the last screen shows the addresses, the demo key, three commands, and how to stop and forget', () => {
  const screen = readyScreen(stack, '/data', 12.34);
  expect(screen).toContain('Ready after 12.3 s.');
  for (const shown of [
    'http://127.0.0.1:3000/v1',
    'http://127.0.0.1:7071/docs',
    'the-demo-key',
    'the-test-key',
    '/data',
    '# 1. Create a session',
    '# 2. Scan its QR code with a phone of the sandbox',
    '# 3. Send a text',
    'Ctrl-C stops everything',
    'npm start -- --fresh',
  ]) {
    expect(screen).toContain(shown);
  }
  expect(screen.split('\n').length).toBeLessThanOrEqual(40);
});

test('the last screen does not show the password of the database', () => {
  expect(readyScreen(stack, '/data', 1)).not.toContain('secret');
});

test('the last screen asks for a phone of your own where the platform is not the simulator', () => {
  const platform = { ...stack.platform, control: null };
  const { testKey: _, ...demo } = stack.demo as NonNullable<StackDescription['demo']>;
  const screen = readyScreen({ ...stack, platform, demo }, '/data', 1);
  // The commands may be pasted together, and a send must not overtake the link.
  expect(screen.indexOf('"status":"CONNECTED"')).toBeLessThan(screen.indexOf('/v1/messages'));
  expect(screen).toContain('ws://127.0.0.1:7070/ws/chat');
  expect(screen).toContain('scan it with your phone');
  expect(screen).not.toContain('null');
});

test('the last screen shows no keys where a service is missing that keeps tenants', () => {
  const screen = readyScreen({ ...stack, demo: null }, '/data', 1);
  expect(screen).not.toContain('API key');
  expect(screen).not.toContain('Try it');
  expect(screen).toContain('Ctrl-C stops everything');
});
