import { AppendAuditFacts, AppendAuditFactsV1, AppError, type AuditFact, parseData } from '@svc/contracts';
import { Messaging } from '@svc/messaging';

/** Behaviour of the chain: `lose` appends and does not answer, as where the answer gets lost. */
export type ChainBehaviour = 'append' | 'lose' | 'ignore';

/** The chain of audit logs, played by contract for a service that delivers facts to it: each fact becomes one line. */
export class AuditChain {
  /** Lines in the order in which they came. */
  readonly lines: AuditFact[] = [];
  /** Ids of facts in the order in which they came, repeats too. */
  readonly delivered: string[] = [];
  behaviour: ChainBehaviour = 'append';
  /** Runs before facts are appended, for a test that does something meanwhile. */
  beforeAppend: () => Promise<void> = () => Promise.resolve();

  private constructor(private readonly messaging: Messaging) {
    messaging.line.connection.subscribe(AppendAuditFacts.subject, {
      callback: (error, message) => {
        if (error) return;
        const { id, data } = message.json<{ id: string; data: unknown }>();
        void this.beforeAppend().then(() => {
          const answer = this.answer(data);
          if (this.behaviour === 'append')
            message.respond(JSON.stringify({ id, isDisposed: true, ...answer }));
        });
      },
    });
  }

  static async listen(natsUrl: string): Promise<AuditChain> {
    const messaging = await Messaging.connect({ url: natsUrl, name: 'audit-chain' });
    const chain = new AuditChain(messaging);
    await messaging.line.connection.flush();
    return chain;
  }

  /** Lists the lines of a tenant. */
  of(tenantId: string): AuditFact[] {
    return this.lines.filter((line) => line.tenantId === tenantId);
  }

  async stop(): Promise<void> {
    await this.messaging.onApplicationShutdown();
  }

  private answer(data: unknown): { response: object } | { err: object } {
    try {
      return { response: { ids: this.append(parseData(AppendAuditFactsV1, data).facts) } };
    } catch (error) {
      if (error instanceof AppError) return { err: error.toBody() };
      throw error;
    }
  }

  private append(facts: AuditFact[]): string[] {
    if (this.behaviour === 'ignore') return [];
    for (const fact of facts) {
      this.delivered.push(fact.id);
      const id = fact.id.toLowerCase();
      if (!this.lines.some((line) => line.id === id)) this.lines.push({ ...fact, id });
    }
    return facts.map(({ id }) => id);
  }
}
