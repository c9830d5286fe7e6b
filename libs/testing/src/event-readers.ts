import { STREAM_READERS } from '@svc/contracts';
import { durablesOf, type Messaging } from '@svc/messaging';

/** Makes the consumers of all apps that read events, as if each of them read whatever comes at once. */
export async function readEveryEvent({ manager }: Messaging): Promise<void> {
  const names = Object.values(STREAM_READERS)
    .filter(({ stream }) => stream === 'events')
    .flatMap(durablesOf);
  const idle = { filter_subject: 'evt.none', ack_policy: 'explicit' as const };
  await Promise.all(names.map((durable_name) => manager.consumers.add('EVENTS', { durable_name, ...idle })));
}
