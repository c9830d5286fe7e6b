import {
  AppError,
  type EndedMessage,
  EndMessage,
  type EndMessageV1,
  type RequestContract,
} from '@svc/contracts';

type Answer = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A,
) => void;

/** The workers' ledger of sends, as far as ending one goes: what has begun is not ended, and the first end stays. */
export class FakeLedger {
  /** Jobs that have begun to go out. */
  readonly begun = new Set<string>();
  /** Requests in order. */
  readonly asked: EndMessageV1[] = [];
  private readonly ended = new Map<string, EndedMessage & { tenantId: string }>();

  answer(on: Answer): void {
    on(EndMessage, (request: EndMessageV1) => {
      this.asked.push(request);
      const { jobId } = request.message;
      if (this.begun.has(jobId)) return { status: 'SENDING', keyId: 'ABC', failure: null };
      const { code, detail: message = 'As asked.' } = request;
      const failure = { code, message, givenBack: ['session' as const, 'plan' as const] };
      const { tenantId, ...ended } = this.ended.get(jobId) ?? {
        ...{ tenantId: request.tenantId, status: 'FAILED' as const, keyId: 'ABC', failure },
      };
      if (tenantId !== request.tenantId) throw new AppError('MESSAGE_NOT_FOUND');
      this.ended.set(jobId, { tenantId, ...ended });
      return ended;
    });
  }
}
