import { expect, test } from '@jest/globals';
import { CallLog, type LoggedCall } from './call-log.js';
import { LlmKey } from './llm-keys.js';

const KEY = new LlmKey('test');

function begun(log: CallLog, key = KEY): LoggedCall {
  key.counts.chat.begun += 1;
  const call: LoggedCall = {
    ...{ key, number: key.calls, id: 'x', kind: 'chat', state: 'OPEN', beganAt: new Date(), endedAt: null },
    ...{ status: null, asked: null, said: null, usage: null },
  };
  log.add(call);
  return call;
}
const kept = (log: CallLog, key: LlmKey): [number[], number] => {
  const { items, lost } = log.after(key, 0);
  return [items.map(({ number }) => number), lost];
};

test('the latest calls are kept, and those that were not are counted for their key', () => {
  const log = new CallLog(3);
  const [one, other] = [new LlmKey('one'), new LlmKey('other')];
  for (const key of [one, one, other, one]) begun(log, key);
  expect([kept(log, one), kept(log, other)]).toEqual([
    [[2, 3], 1],
    [[1], 0],
  ]);
});

test('as many calls are kept as there is room for their words', () => {
  const key = new LlmKey('large');
  const log = new CallLog(100, 5_000);
  for (let n = 0; n < 4; n += 1) {
    const call = begun(log, key);
    log.setAsked(call, 'x'.repeat(998));
    log.setSaid(call, 'y'.repeat(1_000));
  }
  expect(kept(log, key)).toEqual([[3, 4], 2]);
});

test('the words of a call that is no longer kept take no room', () => {
  const key = new LlmKey('late');
  const log = new CallLog(1, 5_000);
  const late = begun(log, key);
  begun(log, key);
  for (let n = 0; n < 10; n += 1) log.setSaid(late, 'y'.repeat(1_000));
  expect(kept(log, key)).toEqual([[2], 1]);
});

test('what is too large as a whole is not kept', () => {
  const log = new CallLog();
  const call = begun(log);
  log.setAsked(call, Array(200).fill('x'.repeat(9_000)));
  expect(call.asked).toBeNull();
});
