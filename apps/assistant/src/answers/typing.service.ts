import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SetTyping, type TypingState } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import type { ConversationRef } from '../conversations/conversations.service.js';

/** The platform lets typing fade by itself after some ten seconds. */
const REPEAT_MS = 8_000;
const MS_PER_CHARACTER = 25;
const LONGEST_MS = 4_000;

/** This service shows a contact that somebody types. An answer never fails for it. */
@Injectable()
export class TypingService {
  constructor(private readonly rpc: RpcClient) {}

  /** Shows that somebody types for as long as the work lasts. */
  async during<T>(conversation: ConversationRef, work: Promise<T>): Promise<T> {
    this.show(conversation, 'composing');
    const timer = setInterval(() => this.show(conversation, 'composing'), REPEAT_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  /** Waits as long as a person would type a text, some seconds at most, and shows it. */
  async before(conversation: ConversationRef, text: string, signal: AbortSignal): Promise<void> {
    this.show(conversation, 'composing');
    await delay(Math.min(LONGEST_MS, text.length * MS_PER_CHARACTER), undefined, { signal });
  }

  private show({ tenantId, sessionId, chat: to }: ConversationRef, state: TypingState): void {
    const request = { tenantId, sessionId, to, state, onlyInMode: 'MANAGED' as const };
    this.rpc.request(SetTyping, request).catch(() => undefined);
  }
}
