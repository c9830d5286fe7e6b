// Bare reference for `bench assistant`: questions to a model with the library that the assistant asks with, at a rate, and nothing else.
// Each time is from the moment at which the call should have begun until the whole answer is here, in ms.
import { setTimeout as delay } from 'node:timers/promises';
import OpenAI from 'openai';

process.on('message', async ({ argument: { url, key, count, perSecond } }) => {
  const client = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0, logLevel: 'off' });
  const times = [];
  const ask = async (number, due) => {
    const messages = [
      { role: 'system', content: 'You answer for a bakery in Kiel.' },
      { role: 'user', content: `question ${number}` },
    ];
    const usage = { stream_options: { include_usage: true } };
    const body = { model: 'stand-in', messages, max_tokens: 600, stream: true, ...usage };
    let text = '';
    for await (const { choices } of await client.chat.completions.create(body))
      text += choices[0]?.delta.content ?? '';
    if (text !== `Answer to question ${number}`) throw new Error(`another answer: ${text}`);
    times.push(performance.now() - due);
  };
  const startedAt = performance.now();
  const calls = [];
  for (let number = 0; number < count; number += 1) {
    const due = startedAt + (number * 1_000) / perSecond;
    if (due > performance.now()) await delay(due - performance.now());
    calls.push(ask(number, due));
  }
  await Promise.all(calls);
  process.send({ result: times });
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
