import { Injectable } from '@nestjs/common';
import { remind } from '../../queries/encrypt-queries.js';
import type { Companion } from '../../people/companion.js';
import { Platform } from '../../platform.js';
import type { Connection, RubbishKind } from '../../connections/connection.js';
import { accountOf } from '../lookups.js';
import { readStanza } from './stanza-json.js';

/** What goes to the devices of an account without any sense or order of the platform. */
@Injectable()
export class WireService {
  constructor(private readonly platform: Platform) {}

  rubbish(phone: string, kind: RubbishKind): number {
    return this.eachOf(phone, (connection) => connection.sendRubbish(kind));
  }

  stanza(phone: string, json: unknown): number {
    const node = readStanza(json);
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
    companions.forEach(remind);
    return answer;
  }

  private eachOf(phone: string, send: (connection: Connection) => boolean): number {
    const connections = this.companionsOf(phone).map(({ connection }) => connection);
    return connections.filter((connection) => connection && send(connection)).length;
  }

  private companionsOf(phone: string): Companion[] {
    return [...accountOf(this.platform, phone).companions.values()];
  }
}
