import { Injectable } from '@nestjs/common';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import type { Companion } from '../../people/companion.js';
import type { Person } from '../../people/person.js';
import { Platform } from '../../platform.js';
import { unlinkAll } from '../../people/unlink.js';
import type { ClientConnection } from '../../wire/client-connection.js';
import { type Stanza, stanza } from '../../wire/nodes.js';
import { deviceRemovedError, loginFailure, replacedError } from '../../wire/stream-errors.js';
import type { AccountView, CreateAccount, Disconnect, LinkedDevice } from './account-bodies.js';
import { accountOf } from '../lookups.js';

const DEFAULT_CODE = 503;

/** This service makes accounts, and links and unlinks their devices. */
@Injectable()
export class AccountsService {
  constructor(private readonly platform: Platform) {}

  create({ phone, name }: CreateAccount): AccountView {
    const person = this.platform.population.ensure(phone);
    person.isAccount = true;
    person.name = name ?? person.name;
    this.platform.population.touch(person);
    return toAccountView(person);
  }

  list(): AccountView[] {
    return [...this.platform.population.all()].filter((person) => person.isAccount).map(toAccountView);
  }

  get(phone: string): AccountView {
    return toAccountView(accountOf(this.platform, phone));
  }

  async scan(phone: string, qr: string): Promise<LinkedDevice> {
    const { device } = await this.platform.pairing.scan(this.platform.population.ensure(phone), qr);
    return { jid: phoneAddress(phone, device), device };
  }

  async typeCode(phone: string, code: string): Promise<LinkedDevice> {
    const { device } = await this.platform.pairing.codes.type(this.platform.population.ensure(phone), code);
    return { jid: phoneAddress(phone, device), device };
  }

  disconnect(phone: string, { mode = 'close', code = DEFAULT_CODE }: Disconnect): number {
    const online = [...accountOf(this.platform, phone).companions.values()].filter(
      (companion) => companion.online,
    );
    for (const { connection } of online) {
      if (connection) disconnections[mode](connection, code);
    }
    return online.length;
  }

  /** Removes all linked devices, as a person does on the phone. */
  unlink(phone: string): number {
    const person = accountOf(this.platform, phone);
    const unlinked = person.companions.size;
    unlinkAll(this.platform.population, person);
    return unlinked;
  }
}

const disconnections: Record<
  NonNullable<Disconnect['mode']>,
  (to: ClientConnection, code: number) => void
> = {
  close: (connection) => connection.end(),
  drop: (connection) => connection.drop(),
  failure: (connection, reason) => connection.end(loginFailure(reason)),
  'stream-error': (connection, code) => connection.end(streamError(code)),
};

/** Makes a stream error; clients distinguish two of the codes by their content. */
function streamError(code: number): Stanza {
  if (code === 401) return deviceRemovedError();
  if (code === 440) return replacedError();
  return stanza('stream:error', { code });
}

function toAccountView(person: Person): AccountView {
  const toDeviceView = (companion: Companion): AccountView['devices'][number] => ({
    device: companion.device,
    name: companion.name ?? null,
    jid: phoneAddress(person.phone, companion.device),
    online: companion.online,
    connectedAt: companion.connectedAt?.toISOString() ?? null,
    revision: companion.revision ?? null,
    active: companion.active,
    available: companion.available,
    availableSince: companion.availableSince?.toISOString() ?? null,
    timesAvailable: companion.timesAvailable,
    queued: companion.queue.size,
  });
  return {
    phone: person.phone,
    name: person.name ?? null,
    jid: phoneAddress(person.phone),
    lid: hiddenAddress(person.lid),
    wouldNotify: ![...person.companions.values()].some(({ available }) => available),
    devices: [...person.companions.values()].map(toDeviceView),
  };
}
