import type { AssistantFigures } from '@svc/contracts';

const DAY_MS = 86_400_000;

/** Figures of an assistant that was never written to: zeros, for each day. */
export function noFigures(count: number): AssistantFigures {
  const none = { turns: 0, answered: 0, handedOff: 0, tokens: 0 };
  const days = Array.from({ length: count }, (_, index) => ({
    day: new Date(Date.now() - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
    ...none,
  }));
  const since = `${String(days[0]?.day)}T00:00:00.000Z`;
  return {
    ...{ since, ...none, conversations: 0, tokensPerConversation: 0, lostCalls: 0, outcomes: [], days },
  };
}
