import { expect, test } from '@jest/globals';
import { isPlatformUrl } from './platform-url.js';

test.each([
  ['wss://web.whatsapp.com/ws/chat', 'production', true],
  ['wss://web.whatsapp.com/ws/chat', 'development', true],
  ['ws://127.0.0.1:7070/ws/chat', 'development', true],
  ['ws://localhost:7070/ws/chat', 'development', true],
  ['ws://[::1]:7070/ws/chat', 'development', true],
  ['ws://127.0.0.1:7070/ws/chat', 'production', false],
  ['ws://platform.example/ws/chat', 'development', false],
  ['http://127.0.0.1/', 'development', false],
  ['no address', 'development', false],
  [undefined, 'production', false],
])('%s in %s: allowed %s', (url, mode, allowed) => {
  expect(isPlatformUrl(url, mode)).toBe(allowed);
});
