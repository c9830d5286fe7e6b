import { Injectable } from '@nestjs/common';
import { CountMessages, GetUsage, type LlmUsage, type MessageCount, type MonthUsage } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';

/** Counts of a day or of a session, in the words of the answer. */
interface UsageCounts {
  messages: number;
  llmCalls: number;
  tokens: number;
}

/** This class puts together what a tenant used in a month, from the services that count. */
@Injectable()
export class UsageService {
  constructor(private readonly rpc: RpcClient) {}

  async of(tenantId: string, wantedMonth: string | undefined): Promise<MonthUsage> {
    const request = { tenantId, ...(wantedMonth === undefined ? {} : { month: wantedMonth }) };
    const llm = await this.rpc.request(GetUsage, request);
    const { month, from, to, calls: llmCalls, tokens } = llm;
    const range = { tenantId, from: from.slice(0, 10), to: to.slice(0, 10) };
    const sent = await this.rpc.request(CountMessages, range);
    const days = merge(sent.days, llm.days).sort(([a], [b]) => (a < b ? -1 : 1));
    const sessions = merge(sent.sessions, llm.sessions).sort(([, a], [, b]) => b.messages - a.messages);
    return {
      ...{ month, from, to, messages: sum(sent.sessions), llmCalls, tokens },
      days: days.map(([day, used]) => ({ day, ...used })),
      sessions: sessions.map(([sessionId, used]) => ({ sessionId, ...used })),
    };
  }
}

function merge(sent: MessageCount[], llm: LlmUsage[]): [string, UsageCounts][] {
  const merged = new Map<string, UsageCounts>();
  for (const { key, messages } of sent) merged.set(key, { messages, llmCalls: 0, tokens: 0 });
  for (const { key, calls, tokens } of llm) {
    merged.set(key, { messages: merged.get(key)?.messages ?? 0, llmCalls: calls, tokens });
  }
  return [...merged];
}

function sum(counts: MessageCount[]): number {
  return counts.reduce((total, { messages }) => total + messages, 0);
}
