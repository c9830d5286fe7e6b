// Bare reference for `bench webhooks`: bodies signed beforehand, posted in a loop.
import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'undici';

process.on('message', async ({ argument: { url, count, connections, body } }) => {
  const agent = new Agent({ connections, pipelining: 1 });
  const { origin, pathname: path } = new URL(url);
  const bytes = Buffer.from(body);
  const signature = createHmac('sha256', 'whsec_').update(bytes).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-svc-signature': `t=0,v1=${signature}` };
  let left = count;
  const poster = async () => {
    while (left-- > 0) {
      const id = randomUUID();
      const answer = await agent.request({
        origin,
        path,
        method: 'POST',
        headers: { ...headers, 'x-svc-delivery-id': id },
        body: bytes,
      });
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
