import { randomUUID } from 'node:crypto';
import {
  AppError,
  GetLimits,
  GetSession,
  GetSubscription,
  GiveBackLlmCall,
  parseData,
  ReadConversation,
  type ReadConversationV1,
  type RequestContract,
  SendAnswer,
  type SendAnswerV1,
  SetTyping,
  TakeLlmCall,
} from '@svc/contracts';
import type { Messaging } from '@svc/messaging';

type Answers<Q extends object, A extends object> = (question: Q) => A | Promise<A>;

const LEFT = { limit: null, used: 0, left: null };
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

/** Another day's worth of everything: what the services around the assistant say, played by contract, and what they were asked. */
export class Neighbours {
  botMode = 'MANAGED';
  status = 'CONNECTED';
  /** Number of times that somebody looked at a session that was not connected. */
  looks = 0;
  isSandbox = false;
  subscription: Record<string, unknown> = {};
  limits: { messages?: object; llmCalls?: object; sessions?: object[] } = {};
  tier = 3;
  callsAreLeft = true;
  /** Messages of the conversation that the gateway has, newest first. */
  history: object[] = [];
  /** Chats whose contacts have opted out. */
  readonly optedOut = new Set<string>();
  /** Tenants that are suspended. */
  readonly suspended = new Set<string>();
  /** Answer of the gateway to an answer of the assistant. */
  onAnswer: (answer: SendAnswerV1) => object | Promise<object> = () => ({ outcome: 'ACCEPTED' });
  /** Answers that were accepted, by the first try of each job. */
  readonly sent: SendAnswerV1[] = [];
  readonly read: ReadConversationV1[] = [];
  readonly taken: string[] = [];
  readonly givenBack: string[] = [];
  readonly typing: string[] = [];

  static async listen(messaging: Messaging): Promise<Neighbours> {
    const neighbours = new Neighbours();
    neighbours.answerAll(messaging);
    await messaging.line.connection.flush();
    return neighbours;
  }

  /** Lists the texts that were sent in a session, in order. */
  textsOf(sessionId: string): string[] {
    return this.sent.filter((answer) => answer.sessionId === sessionId).map(({ text }) => text);
  }

  private answerAll(messaging: Messaging): void {
    const play = <Q extends object, A extends object>(
      contract: RequestContract<Q, A>,
      answers: Answers<Q, object>,
    ): void =>
      void messaging.line.connection.subscribe(contract.subject, { callback: reply(contract, answers) });
    play(GetSession, ({ sessionId }) => {
      if (this.status !== 'CONNECTED') this.looks += 1;
      return { session: this.sessionOf(sessionId), sandbox: this.isSandbox };
    });
    play(GetSubscription, ({ tenantId }) => ({
      ...{ tenantId, plan: 'GROWTH', status: 'ACTIVE', internal: false, active: true },
      ...this.subscription,
    }));
    play(GetLimits, ({ sessionIds }) => ({
      ...{ messages: LEFT, llmCalls: LEFT, resetAt: TOMORROW, secondsLeft: 86_400 },
      sessions: sessionIds.map((sessionId) => ({ sessionId, tier: this.tier, messages: LEFT })),
      ...this.limits,
    }));
    play(TakeLlmCall, ({ callId }) => {
      this.taken.push(callId);
      const refusal = { layer: 'plan', limit: 1, used: 1, resetAt: TOMORROW, retryAfterSeconds: 60 };
      return this.callsAreLeft ? { admitted: true } : { admitted: false, refusal };
    });
    play(GiveBackLlmCall, ({ callId }) => {
      this.givenBack.push(callId);
      return { givenBack: true };
    });
    play(ReadConversation, (question) => {
      this.read.push(question);
      if (this.suspended.has(question.tenantId)) return { messages: [], suspended: true };
      return { messages: this.history, ...(this.optedOut.has(question.chat) && { optedOut: true }) };
    });
    play(SendAnswer, (answer) => this.take(answer));
    play(SetTyping, ({ state }) => {
      this.typing.push(state);
      return {};
    });
  }

  private async take(answer: SendAnswerV1): Promise<object> {
    const reply = await this.onAnswer(answer);
    const isAccepted = (reply as { outcome?: string }).outcome === 'ACCEPTED';
    if (isAccepted && !this.sent.some(({ jobId }) => jobId === answer.jobId)) this.sent.push(answer);
    return reply;
  }

  private sessionOf(id: string): object {
    const times = { statusSince: TOMORROW, createdAt: TOMORROW, statusUntil: null };
    return {
      ...{ id, name: 'Shop', status: this.status, statusReason: 'LOGGED_IN', ...times },
      ...{ botMode: this.botMode, phone: '+4915100000000', proxy: null, alwaysOnline: false },
      ...{ rejectCalls: false, callReply: null, restriction: null },
    };
  }
}

function reply<Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  answers: Answers<Q, object>,
) {
  return (error: Error | null, message: { json(): unknown; respond(text: string): boolean }): void => {
    if (error) return;
    const { id = randomUUID(), data } = message.json() as { id?: string; data: unknown };
    const work = Promise.resolve().then(() => answers(parseData(contract.request, data)));
    void work
      .then((response) => ({ response: parseData(contract.reply, response) }))
      .catch((cause: unknown) => ({ err: AppError.fromBody(cause).toBody() }))
      .then((answer) => message.respond(JSON.stringify({ id, isDisposed: true, ...answer })));
  };
}
