import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import { round3 } from '../../figures.js';
import type { Subscriber, WebhookScene } from '../../stack/webhook-scene.js';

const LIMIT_MS = 180_000;
/** Pause between two tries of an event that the stream did not take, in ms. */
const RETRY_MS = 250;
/** Number of events of which one is for a receiver that takes its time or fails. */
const SELDOM = 400;

/** The receivers of the events of a stream. */
export interface Audience {
  /** Subscribers of nearly all events. */
  often: Subscriber[];
  slow: Subscriber[];
  broken: Subscriber[];
}

/** The results of the events of a stream. */
export interface StreamFigures {
  published: number;
  /** Number of these for receivers that never take one. */
  toBroken: number;
  /** Number of events not answered 2xx by a receiver that does so sooner or later. */
  lost: number;
  /** Deliveries without an end. */
  pending: number;
  posts: number;
  /** Messages that came under more than one delivery id. */
  otherIds: number;
}

/** Events at a rate, each published until the stream has it, counted at their receivers. */
export class Stream {
  private published = 0;
  private toBroken = 0;
  private isEnding = false;
  private startedAt = 0;

  constructor(
    private readonly scene: WebhookScene,
    private readonly audience: Audience,
    private readonly perSecond: number,
  ) {}

  /** Computes the events that the stream took so far, per second. */
  get rate(): number {
    return round3((this.published * 1000) / (performance.now() - this.startedAt));
  }

  end(): void {
    this.isEnding = true;
  }

  /** Resolves when it has been ended and the stream has every event. */
  async run(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    this.startedAt = performance.now();
    for (let n = 0; !this.isEnding; n += 1) {
      const at = this.startedAt + (n * 1000) / this.perSecond;
      if (at > performance.now()) await delay(at - performance.now());
      const work = this.publish(n).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    await Promise.all(underWay);
  }

  /** Waits for the end of all deliveries; those that have none by then are counted. */
  async count(): Promise<StreamFigures> {
    const { published, toBroken } = this;
    const due = published - toBroken;
    const settled = async (): Promise<boolean> => {
      await delay(500);
      return (await this.scene.counts()).answered >= due && (await this.scene.pending()) === 0;
    };
    await waitFor('every delivery to be made', settled, LIMIT_MS).catch(() => undefined); // missing ones are counted
    const { posts, answered, otherIds } = await this.scene.counts();
    const pending = await this.scene.pending();
    return { published, toBroken, lost: due - answered, pending, posts, otherIds };
  }

  private async publish(n: number): Promise<void> {
    const subscriber = this.subscriberOf(n);
    const event = this.scene.event(subscriber);
    for (;;) {
      try {
        await this.scene.put(event);
        this.published += 1;
        if (this.audience.broken.includes(subscriber)) this.toBroken += 1;
        return;
      } catch {
        await delay(RETRY_MS); // under its own id: the stream knows it if it has it
      }
    }
  }

  private subscriberOf(n: number): Subscriber {
    const { often, slow, broken } = this.audience;
    const seldom = [...slow, ...broken];
    const [group, turn] = n % SELDOM === 0 ? [seldom, n / SELDOM] : [often, n];
    return group[turn % group.length] as Subscriber;
  }
}
