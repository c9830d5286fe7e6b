import {
  type DeliveryView,
  GetReplay,
  type Replay,
  ReplayDelivery,
  type ReplayStart,
  StartReplay,
  type StartReplayV1,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { PATIENCE_MS, type Stage, type Subscriber } from '../stage.js';

type Filter = Partial<StartReplayV1>;

/** Replays on a stage, as a tenant asks for them and follows them. */
export function replaysOn(stage: Stage) {
  const start = ({ tenantId, endpointId }: Subscriber, filter: Filter = {}): Promise<ReplayStart> =>
    stage.rpc.request(StartReplay, { tenantId, endpointId, ...filter });
  const progress = async ({ tenantId }: Subscriber, replayId: string): Promise<Replay> =>
    (await stage.rpc.request(GetReplay, { tenantId, replayId })).replay;
  return {
    start,
    progress,
    replayOne: async (tenantId: string, deliveryId: string): Promise<DeliveryView> =>
      (await stage.rpc.request(ReplayDelivery, { tenantId, deliveryId })).delivery,

    begun: async (subscriber: Subscriber, filter: Filter = {}): Promise<Replay> => {
      const { replay } = await start(subscriber, filter);
      if (!replay) throw new Error('It was a dry run.');
      return replay;
    },

    ended: (subscriber: Subscriber, { id }: { id: string }): Promise<Replay> =>
      waitFor(
        'the replay to end',
        async () => {
          const replay = await progress(subscriber, id);
          return replay.state !== 'RUNNING' && replay;
        },
        PATIENCE_MS,
      ),

    /** Makes a subscriber whose deliveries so far are dead. */
    withDeadLetters: async (count: number): Promise<Subscriber> => {
      const subscriber = await stage.subscriber(['message.received']);
      const { tenantId, deliveries } = subscriber;
      stage.receiver.answerWith(500);
      for (let i = 0; i < count; i += 1) await stage.producer.received(tenantId, { keyId: String(i) });
      await waitFor('the dead letters', async () => (await deliveries(true)).length === count, PATIENCE_MS);
      stage.receiver.received.length = 0;
      stage.receiver.answerWith(200);
      return subscriber;
    },
  };
}
