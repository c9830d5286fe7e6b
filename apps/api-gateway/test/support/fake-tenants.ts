import {
  DeleteTenantAssistants,
  DeleteTenantLimits,
  type DeleteTenantRowsV1,
  DeleteTenantSessions,
  DeleteTenantUsage,
  DeleteTenantWebhooks,
  EraseInLimits,
  type RequestContract,
  SetEndpointSuspension,
  SetSessionSuspension,
  type SetSuspensionV1,
} from '@svc/contracts';

type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A | Promise<A>,
) => void;

/** Requests of the other services about tenants as a whole, suspensions and deletions, and those of limits about erasures. */
export class FakeTenants {
  /** Requests by app, in order. */
  readonly suspensions: (SetSuspensionV1 & { app: string })[] = [];
  readonly deletions: (DeleteTenantRowsV1 & { app: string })[] = [];
  /** True where the sessions of a tenant have ended by now. */
  sessionsEnd = true;

  /** Contacts whose hashes were erased. */
  readonly unhashed: string[] = [];

  answer(on: On): void {
    on(EraseInLimits, ({ contact }) => {
      const contacts = this.unhashed.includes(contact) ? 0 : 1;
      this.unhashed.push(contact);
      return { contacts };
    });
    for (const contract of [SetSessionSuspension, SetEndpointSuspension])
      on(contract, (request: SetSuspensionV1) => {
        this.suspensions.push({ app: contract.app, ...request });
        return {};
      });
    for (const contract of [
      DeleteTenantSessions,
      DeleteTenantWebhooks,
      DeleteTenantLimits,
      DeleteTenantUsage,
      DeleteTenantAssistants,
    ])
      on(contract, (request: DeleteTenantRowsV1) => {
        const isFirst = !this.deletions.some(
          ({ app, tenantId }) => app === contract.app && tenantId === request.tenantId,
        );
        this.deletions.push({ app: contract.app, ...request });
        const waits = contract === DeleteTenantSessions && !this.sessionsEnd;
        return { deleted: isFirst ? { [`${contract.app}.row`]: 2 } : {}, done: !isFirst && !waits };
      });
  }
}
