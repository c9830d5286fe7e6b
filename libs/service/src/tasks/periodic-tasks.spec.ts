import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { waitFor } from '@svc/test-servers';
import { PeriodicTasks } from './periodic-tasks.js';

test('tasks run from the start of the service on, one that is added later from then on', async () => {
  const tasks = new PeriodicTasks();
  const runs: string[] = [];
  const add = (name: string): void => tasks.add(name, 5, () => Promise.resolve(runs.push(name)));
  add('one');
  await delay(30);
  expect(runs).toEqual([]);
  tasks.onApplicationBootstrap();
  add('two');
  for (const name of ['one', 'two'])
    await waitFor(`two runs of ${name}`, () => runs.filter((ran) => ran === name).length > 1);
  await tasks.onModuleDestroy();
});

test('a service that stops tells a run that is under way, waits for its end, and begins none', async () => {
  const tasks = new PeriodicTasks();
  const events: string[] = [];
  const begun = new Promise<void>((resolve) => {
    tasks.add('long', 1, async (stopping) => {
      events.push('begins');
      resolve();
      await new Promise((done) => stopping.addEventListener('abort', done));
      await delay(20);
      events.push('ends');
    });
  });
  tasks.onApplicationBootstrap();
  await begun;
  await tasks.onModuleDestroy();
  expect(events).toEqual(['begins', 'ends']);
  await delay(30);
  expect(events).toEqual(['begins', 'ends']);
});
