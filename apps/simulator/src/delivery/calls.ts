import { randomBytes } from 'node:crypto';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import type { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import { child, seconds, type Stanza, stanza } from '../wire/nodes.js';
import { callKey, type Delivery } from './delivery.js';

/** Ends of a call. */
export const CALL_ENDS = ['terminate', 'timeout', 'accept', 'reject'] as const;
export type CallEnd = (typeof CALL_ENDS)[number];

/** The options of a call. */
export interface CallOptions {
  video: boolean;
  /** Address of the group that is called. */
  group?: string;
  /** Address that it comes from: `lid` with the number beside it, `lid-only` without, `pn`. */
  addressing: 'lid' | 'lid-only' | 'pn';
  /** False: a device that rejects it gets no answer. */
  answersReject: boolean;
}

/** A call to an account. */
export interface Call extends CallOptions {
  id: string;
  caller: Person;
  account: Person;
  state: 'ringing' | 'rejected' | CallEnd;
}

/** This class rings the linked devices of accounts. A call that nobody has heard of stays for the next login, as messages do. */
export class Calls {
  private readonly calls = new Map<string, Call>();

  constructor(private readonly delivery: Delivery) {}

  get(id: string): Call | undefined {
    return this.calls.get(id);
  }

  ring(caller: Person, account: Person, options: CallOptions): Call {
    const id = randomBytes(16).toString('hex').toUpperCase();
    const call: Call = { ...options, id, caller, account, state: 'ringing' };
    this.calls.set(id, call);
    const { video, group, addressing } = options;
    const attributes = {
      ...(addressing === 'lid' ? { caller_pn: phoneAddress(caller.phone) } : {}),
      ...(group === undefined ? {} : { type: 'group', 'group-jid': group }),
    };
    const parts = [stanza('audio', { enc: 'opus', rate: 16_000 }), ...(video ? [stanza('video', {})] : [])];
    this.tell(call, 'offer', attributes, parts);
    // A call is announced twice to some devices.
    this.tell(call, 'offer_notice', { media: video ? 'video' : 'audio', ...attributes });
    return call;
  }

  end(call: Call, how: CallEnd): void {
    call.state = how;
    // An unanswered call ends as one that the caller hangs up, with a reason.
    if (how === 'timeout') this.tell(call, 'terminate', { reason: 'timeout' });
    else this.tell(call, how);
  }

  /** Takes what a device says of a call. Only the address that called may be told: another one reaches nobody. */
  receive(companion: Companion, node: Stanza): void {
    const rejection = child(node, 'reject');
    const call = this.calls.get(rejection?.attrs['call-id'] ?? '');
    const { id, to } = node.attrs;
    if (call && to === creatorOf(call) && rejection?.attrs['call-creator'] === to) call.state = 'rejected';
    if (call?.answersReject !== false)
      companion.connection?.send(stanza('ack', { class: 'call', id, from: to, type: 'reject' }));
  }

  clear(): void {
    this.calls.clear();
  }

  private tell(call: Call, tag: string, attributes: object = {}, content: Stanza[] = []): void {
    const from = creatorOf(call);
    const about = { 'call-id': call.id, 'call-creator': from };
    for (const companion of call.account.companions.values()) {
      const id = randomBytes(8).toString('hex').toUpperCase();
      const attrs = { id, from, t: seconds(), notify: call.caller.name ?? call.caller.phone };
      const node = stanza('call', attrs, [stanza(tag, { ...about, ...attributes }, content)]);
      this.delivery.enqueue(call.account, companion, { key: callKey(id), node });
    }
  }
}

const creatorOf = ({ caller, addressing }: Call): string =>
  addressing === 'pn' ? phoneAddress(caller.phone) : hiddenAddress(caller.lid);
