import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { LlmClient } from '../support/llm-client.js';
import { Stack } from '../support/stack.js';

const MODEL = 'stand-in-transcribe';
const fileOf = (content: string | Buffer): File =>
  new File([new Uint8Array(Buffer.from(content))], 'note.ogg', { type: 'audio/ogg' });
const NOISE = Buffer.alloc(30_000, 0xff);

let stack: Stack;
let client: LlmClient;
beforeAll(async () => {
  stack = await Stack.start();
  client = new LlmClient(stack, 'transcriptions');
});
afterEach(() => client.standIn.forget());
afterAll(() => stack.close());

const transcribe = (file: File, more: object = {}) =>
  client.library.audio.transcriptions.create({ file, model: MODEL, ...more });

describe('the stand-in for language models writes down a voice note', () => {
  test('that is text as its text, and any other by its size, with its seconds', async () => {
    expect(await transcribe(fileOf('Are you open?\n'))).toEqual({
      text: 'Are you open?',
      usage: { type: 'duration', seconds: 1 },
    });
    expect(await transcribe(fileOf(NOISE))).toEqual({
      text: 'A voice note of 30000 bytes',
      usage: { type: 'duration', seconds: 15 },
    });
    const { transcription, chat, given } = await client.standIn.counts();
    expect([transcription.complete, chat.begun, given.audioSeconds]).toEqual([2, 0, 16]);
  });

  test('as text, or with its length and language', async () => {
    expect(await transcribe(fileOf('Hello'), { response_format: 'text' })).toBe('Hello\n');
    expect(
      await transcribe(fileOf('Hallo'), { response_format: 'verbose_json', language: 'de' }),
    ).toMatchObject({
      ...{ text: 'Hallo', language: 'de', duration: 1, segments: [] },
    });
    expect((await client.standIn.calls()).items[1]).toMatchObject({
      ...{ call: 'transcription', state: 'COMPLETE', said: 'Hallo' },
      asked: { model: MODEL, language: 'de', file: { name: 'note.ogg', type: 'audio/ogg', bytes: 5 } },
    });
  });

  test('by a rule for its words', async () => {
    const when = { call: 'transcription' as const, text: 'hello' };
    await client.standIn.answer({ when, times: 1, text: 'Heard: {text}' }, { when, error: { status: 500 } });
    expect(await transcribe(fileOf('Hello'))).toMatchObject({ text: 'Heard: Hello' });
    await expect(transcribe(fileOf('Hello'))).rejects.toMatchObject({ status: 500 });
    expect(await transcribe(fileOf('Bye'))).toMatchObject({ text: 'Bye' });
    expect(await client.words('Hello')).toBe('You wrote: Hello');
  });

  test('to its half, where a rule cuts it', async () => {
    await client.standIn.answer({ when: { call: 'transcription' }, cutAfter: 1 });
    await expect(transcribe(fileOf('Hello'))).rejects.toMatchObject({ message: 'terminated' });
    expect((await client.standIn.counts()).transcription).toMatchObject({ cut: 1, complete: 0 });
  });
});

describe('a voice note is refused, naming the field,', () => {
  test.each<[string, File, object, string]>([
    ['that is empty', fileOf(''), {}, 'file'],
    ['without a model', fileOf('Hello'), { model: '' }, 'model'],
    ['as subtitles', fileOf('Hello'), { response_format: 'srt' }, 'response_format'],
  ])('%s', async (_, file, more, param) => {
    await expect(transcribe(file, more)).rejects.toMatchObject({ status: 400, param });
  });

  test('that comes without a form', async () => {
    const headers = { authorization: 'Bearer transcriptions', 'content-type': 'audio/ogg' };
    const url = `${stack.simulator.llm}/audio/transcriptions`;
    const response = await fetch(url, { method: 'POST', headers, body: 'Hello' });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'body' } }]);
  });
});
