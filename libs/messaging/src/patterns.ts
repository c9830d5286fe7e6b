import { EventPattern, MessagePattern, Transport } from '@nestjs/microservices';
import { type CommandContract, Envelope, type EventContract, type RequestContract } from '@svc/contracts';

/** Transport id of the JetStream strategy, so that Nest's own NATS transport leaves its handlers alone. */
export const JETSTREAM: symbol = Symbol('jetstream');

/** Options that a JetStream handler was declared with. */
export interface HandlerExtras {
  contract: EventContract | CommandContract;
}

/**
 * Makes a method handle this event; it receives a checked `Envelope`. Returning acks, throwing naks or dead-letters.
 * @throws TypeError when the class is defined and `Envelope` is imported as a type alone.
 */
export function OnEvent(contract: EventContract): MethodDecorator {
  return withEnvelope(contract.name, EventPattern<string>(contract.name, JETSTREAM, { contract }));
}

/**
 * Makes a method carry out this command; only the owner of the session's partition gets it.
 * @throws TypeError as `OnEvent`
 */
export function OnCommand(contract: CommandContract): MethodDecorator {
  return withEnvelope(contract.name, EventPattern<string>(contract.name, JETSTREAM, { contract }));
}

/** Makes a method answer this request; any instance of the app may be asked. */
export function OnRequest(contract: RequestContract): MethodDecorator {
  return MessagePattern<string>(contract.subject, Transport.NATS);
}

/**
 * Checks that a handler gets an envelope. Nest hands it what its pipe makes for the class of the parameter: where only the type was
 * imported, the bytes as they came.
 */
function withEnvelope(name: string, pattern: MethodDecorator): MethodDecorator {
  return (target, key, descriptor) => {
    const types = Reflect.getMetadata('design:paramtypes', target, key) as unknown[] | undefined;
    if (types?.length && !types.includes(Envelope))
      throw new TypeError(
        `${String(key)} of ${name} takes no Envelope: import the class, not only its type.`,
      );
    pattern(target, key, descriptor);
  };
}
