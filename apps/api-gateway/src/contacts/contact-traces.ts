import { Injectable } from '@nestjs/common';
import { ReadContactEvents, type ContactEventsReply } from '@svc/contracts';
import { findDeadLetter, Messaging, RpcClient } from '@svc/messaging';
import { namesOf } from '@svc/service';
import { ContactRepository, type Person } from './contact.repository.js';

/** Longest wait for a walk through the events of a tenant, in ms. */
export const PATIENCE_MS = 30_000;

/** This class finds traces of persons of whom there is no message, and yet something that an erasure takes. */
@Injectable()
export class ContactTraces {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly rpc: RpcClient,
    private readonly messaging: Messaging,
  ) {}

  /**
   * Finds the time of a trace: what others quoted, else what no service could process, else an event. What takes longest is asked last.
   * @returns null where nothing is kept.
   * @throws AppError that the dispatcher does not answer.
   */
  async find(person: Person): Promise<Date | null> {
    return (
      (await this.contacts.quotedAt(person)) ?? (await this.unprocessedAt(person)) ?? this.eventAt(person)
    );
  }

  private unprocessedAt(person: Person): Promise<Date | null> {
    return findDeadLetter(this.messaging, ({ message }) => isAbout(person, message));
  }

  private async eventAt({ tenantId, contact }: Person): Promise<Date | null> {
    let after: string | null = '0';
    while (after !== null) {
      const reply: ContactEventsReply = await this.rpc.request(
        ReadContactEvents,
        { tenantId, contact, after },
        PATIENCE_MS,
      );
      const [event] = reply.events;
      if (event) return new Date(event.createdAt);
      after = reply.next;
    }
    return null;
  }
}

/** Says whether a message as it came on the wire is of the tenant and names the person. */
export function isAbout({ tenantId, contact }: Person, message: string): boolean {
  return (
    message.includes(JSON.stringify(tenantId)) && namesOf(contact).some((name) => message.includes(name))
  );
}
