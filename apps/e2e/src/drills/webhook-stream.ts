import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import type { Subscriber, WebhookScene } from '../webhook-scene.js';

const LIMIT_MS = 180_000;
/** Between two tries of an event that the stream did not take. */
const RETRY_MS = 250;

/** What became of the events of a stream. */
export interface StreamFigures {
  published: number;
  lost: number;
  /** Posts beyond those that are written down as attempts. */
  repeats: number;
  /** Messages that came under more than one delivery id. */
  otherIds: number;
  /** Most recorded attempts of one delivery. */
  mostAttempts: number;
}

/** Events at a rate, each published until the stream has it, counted at their receivers. */
export class Stream {
  published = 0;
  private isEnding = false;

  constructor(
    private readonly scene: WebhookScene,
    private readonly subscribers: Subscriber[],
    private readonly perSecond: number,
  ) {}

  end(): void {
    this.isEnding = true;
  }

  /** Resolves when it has been ended and the stream has every event. */
  async run(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const begun = performance.now();
    for (let n = 0; !this.isEnding; n += 1) {
      const at = begun + (n * 1000) / this.perSecond;
      if (at > performance.now()) await delay(at - performance.now());
      const work = this.publish(n).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    await Promise.all(underWay);
  }

  async count(): Promise<StreamFigures> {
    const heard = async () => (await this.scene.counts()).messages;
    const settled = async (): Promise<boolean> => {
      await delay(500);
      return (await heard()) >= this.published && (await this.scene.pending()) === 0;
    };
    await waitFor('every delivery to be made', settled, LIMIT_MS).catch(() => undefined); // what is missing is counted
    const { posts, messages, otherIds } = await this.scene.counts();
    const { attempts, mostAttempts } = await this.scene.attempts();
    const { published } = this;
    return { published, lost: published - messages, repeats: posts - attempts, otherIds, mostAttempts };
  }

  private async publish(n: number): Promise<void> {
    const event = this.scene.event(this.subscribers[n % this.subscribers.length] as Subscriber);
    for (;;) {
      try {
        await this.scene.put(event);
        this.published += 1;
        return;
      } catch {
        await delay(RETRY_MS); // under its own id: the stream knows it if it has it
      }
    }
  }
}
