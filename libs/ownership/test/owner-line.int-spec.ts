import { expect, test } from '@jest/globals';
import { AppError, type ContactView, LookUpContact } from '@svc/contracts';
import { waitFor } from '@svc/test-servers';
import { PARTITIONS } from './lease-database.js';
import { aProcess, type OwnerProcess, startProcess, withProcesses } from './processes.js';

withProcesses();

const question = { tenantId: 't', sessionId: 's', phone: '15550100' };
const ask = ({ line }: OwnerProcess, timeoutMs = 5_000, partition = 5): Promise<ContactView> =>
  line.ask(LookUpContact, partition, question, timeoutMs);

test('a question is answered by the owner of the partition, whoever asks', async () => {
  const questions: unknown[] = [];
  const answer = async (verb: string, asked: unknown): Promise<object> => {
    questions.push([verb, asked]);
    return { phone: '+15550100', exists: true, address: 'a' };
  };
  await startProcess('a', {}, { answer });
  const other = await startProcess('b');
  expect(await ask(other)).toMatchObject({ address: 'a' });
  expect(questions).toEqual([[LookUpContact.subject, question]]);
});

test('a question to nobody is refused at once', async () => {
  const asker = await aProcess('asker');
  await expect(ask(asker)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', meta: { app: 'rooms' } });
});

test('a question that its owner does not answer is given up in time', async () => {
  await startProcess('a', {}, { answer: () => new Promise(() => undefined) });
  await expect(ask(await aProcess('asker'), 100)).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
});

test('what the owner throws goes back to whoever asked; of a bug nothing but that there was one', async () => {
  const errors = [new AppError('SESSION_NOT_CONNECTED', 'No socket.'), new TypeError('canary')];
  await startProcess('a', {}, { answer: () => Promise.reject(errors.shift() as Error) });
  const asker = await aProcess('asker');
  await expect(ask(asker)).rejects.toMatchObject({ code: 'SESSION_NOT_CONNECTED', message: 'No socket.' });
  const bug = await ask(asker).catch((error: unknown) => error);
  expect(bug).toMatchObject({ code: 'INTERNAL' });
  expect(JSON.stringify(bug)).not.toContain('canary');
});

test('an answer that breaks its contract is none', async () => {
  await startProcess('a', {}, { answer: async () => ({ exists: 'perhaps' }) });
  await expect(ask(await aProcess('asker'))).rejects.toThrow(AppError);
});

test('after a handover the new owner answers, and the one before does not', async () => {
  let answers = 0;
  const answer = async (): Promise<object> => {
    answers += 1;
    return { phone: '+15550100', exists: true, address: 'before' };
  };
  const before = await startProcess('before', {}, { answer });
  const after = await startProcess('after');
  expect(await ask(after)).toMatchObject({ address: 'before' });
  await before.owner.stop();
  await waitFor('the new owner', () => after.owner.fenceOf(5));
  for (let n = 0; n < 5; n += 1) expect(await ask(before)).toMatchObject({ address: 'after' });
  expect(answers).toBe(1);
});

test('an owner that has lost the partition does not answer', async () => {
  const a = await startProcess('a');
  a.owner.lost(a.owner.fenceOf(5)!);
  await expect(ask(a)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
});

test('a question is not answered while the partition is handed over', async () => {
  const outcomes: unknown[] = [];
  const asker = await aProcess('asker');
  const onLose = async (partition: number): Promise<void> => {
    if (partition !== 5) return;
    await a.messaging.line.connection.flush(); // the server knows that the line is closed
    outcomes.push(await ask(asker).catch((error: unknown) => error));
  };
  const a = await startProcess('a', {}, { onLose });
  await a.owner.stop();
  expect(outcomes).toMatchObject([{ code: 'UPSTREAM_UNAVAILABLE' }]);
});

test('a question that crosses the end of the line is answered or refused, and not left to its time-out', async () => {
  const a = await startProcess('a');
  const asker = await aProcess('asker');
  const outcomes = await Promise.all(
    Array.from({ length: PARTITIONS }, async (_, partition) => {
      const asked = ask(asker, 3_000, partition);
      a.line.close(partition);
      return asked.then(
        ({ address }) => address,
        ({ code }: AppError) => code,
      );
    }),
  );
  expect(outcomes.filter((outcome) => outcome !== 'a' && outcome !== 'UPSTREAM_UNAVAILABLE')).toEqual([]);
});

test('what is no question is dropped, and the next question is answered', async () => {
  await startProcess('a');
  const asker = await aProcess('asker');
  asker.messaging.line.connection.publish('own.rooms.5', 'not JSON');
  expect(await ask(asker)).toMatchObject({ address: 'a' });
});
