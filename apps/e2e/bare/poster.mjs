// Bare reference for `bench webhooks`: the requests of deliveries, made and signed beforehand, posted in a loop.
import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'undici';

/** Makes a post with a message of its own, as receivers look for it, and with the headers of a delivery. */
function signedPost(bytes) {
  const id = randomUUID();
  const t = String(Date.now());
  const body = Buffer.from(JSON.stringify({ messageId: randomUUID(), text: 'x'.repeat(bytes) }));
  const signature = `t=${t},v1=${createHmac('sha256', 'whsec_').update(`${t}.`).update(body).digest('hex')}`;
  const own = { event: 'message.received', 'delivery-id': id, timestamp: t, signature };
  const headers = { 'content-type': 'application/json', 'user-agent': 'bare' };
  for (const name in own) headers[`x-svc-${name}`] = headers[`x-webhook-${name}`] = own[name];
  return { headers, body };
}

process.on('message', async ({ argument: { url, count, connections, bodies, bytes } }) => {
  const agent = new Agent({ connections, pipelining: 1 });
  const { origin, pathname: path } = new URL(url);
  const posts = Array.from({ length: bodies }, () => signedPost(bytes));
  let left = count;
  const poster = async () => {
    while (left-- > 0) {
      const answer = await agent.request({ origin, path, method: 'POST', ...posts[left % bodies] });
      await answer.body.dump();
    }
  };
  const before = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, poster));
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  await agent.close();
  process.send({ result: { seconds, cpuMs: (user + system) / 1000 } });
});
process.on('disconnect', () => process.exit(0));
process.send({ port: 0 });
