import { Injectable } from '@nestjs/common';
import { messageKey, notificationKey } from '../../delivery/delivery.js';
import type { Companion } from '../../people/companion.js';
import { askForPreKeys } from '../../people/pre-keys.js';
import { Platform } from '../../platform.js';
import type { ClientConnection, RubbishKind } from '../../wire/client-connection.js';
import type { Stanza } from '../../wire/nodes.js';
import { accountOf } from '../lookups.js';
import { readStanza } from './stanza-json.js';

/** This service sends to the devices of an account whatever a test wants, without any order of the platform. */
@Injectable()
export class WireService {
  constructor(private readonly platform: Platform) {}

  rubbish(phone: string, kind: RubbishKind): number {
    return this.eachOf(phone, (connection) => connection.sendRubbish(kind));
  }

  /** Sends a stanza to all devices that are connected; one that is kept waits for the others, too. */
  stanza(phone: string, json: unknown, keep = false): number {
    const node = readStanza(json);
    const { id } = node.attrs;
    if (keep && id !== undefined) return this.keepFor(phone, node, id);
    return this.eachOf(phone, (connection) => connection.send(node));
  }

  preKeys(phone: string): number[] {
    return this.companionsOf(phone).map(({ preKeys }) => preKeys.length);
  }

  keepPreKeys(phone: string, left: number): number[] {
    const companions = this.companionsOf(phone);
    const answer = companions.map((companion) => {
      companion.preKeys = left === 0 ? [] : companion.preKeys.slice(-left);
      return companion.preKeys.length;
    });
    this.platform.population.touch(accountOf(this.platform, phone));
    companions.forEach(askForPreKeys);
    return answer;
  }

  private keepFor(phone: string, node: Stanza, id: string): number {
    const person = accountOf(this.platform, phone);
    const companions = this.companionsOf(phone);
    const key = node.tag === 'message' ? messageKey(id) : notificationKey(id);
    for (const companion of companions) this.platform.delivery.enqueue(person, companion, { key, node });
    return companions.filter(({ active }) => active).length;
  }

  private eachOf(phone: string, send: (connection: ClientConnection) => boolean): number {
    const connections = this.companionsOf(phone).map(({ connection }) => connection);
    return connections.filter((connection) => connection && send(connection)).length;
  }

  private companionsOf(phone: string): Companion[] {
    return [...accountOf(this.platform, phone).companions.values()];
  }
}
