import { EventPattern, MessagePattern, Transport } from '@nestjs/microservices';
import type { CommandContract, EventContract, RequestContract } from '@svc/contracts';

/** Transport id of the JetStream strategy, so that Nest's own NATS transport leaves its handlers alone. */
export const JETSTREAM: symbol = Symbol('jetstream');

/** What a JetStream handler was declared with. */
export interface HandlerExtras {
  contract: EventContract | CommandContract;
}

/** Makes a method hear this event; it receives a checked `Envelope`. Returning acks, throwing naks or dead-letters. */
export function OnEvent(contract: EventContract): MethodDecorator {
  return EventPattern<string>(contract.name, JETSTREAM, { contract });
}

/** Makes a method carry out this command; only the owner of the session's partition hears it. */
export function OnCommand(contract: CommandContract): MethodDecorator {
  return EventPattern<string>(contract.name, JETSTREAM, { contract });
}

/** Makes a method answer this request; any instance of the app may be asked. */
export function OnRequest(contract: RequestContract): MethodDecorator {
  return MessagePattern<string>(contract.subject, Transport.NATS);
}
