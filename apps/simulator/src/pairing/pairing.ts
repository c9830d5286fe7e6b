import type { HandshakeResult } from '../noise/handshake.js';
import type { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { Refusal } from '../http/refusal.js';
import type { Connection } from '../connections/connection.js';
import type { Versions } from '../connections/versions.js';
import { SERVER, stanza } from '../wire/nodes.js';
import { CodeRequests } from './code-requests.js';
import { lockRegistration, refuseOldClient } from './linking.js';
import { RulesOfLinking } from './linking-rules.js';
import { Notices } from './notices.js';
import { Passkeys } from './passkeys.js';
import { parseQr, type ScannedQr } from './qr.js';
import { assertRedrawn } from './redrawing.js';
import { readRegistration, type Registration } from './registration.js';

/** Life of a connection that links nothing, in ms: about as long as reported of the real one. */
const LIFE_MS = 210_000;

/** This class links new devices: it hands out the references that a QR code shows and does what the phone does on a scan. */
export class Pairing {
  /** The devices that show a code to be typed instead. */
  readonly codes: CodeRequests;
  readonly rules = new RulesOfLinking();
  readonly notices = new Notices();
  /** The ceremonies of devices that are asked for a passkey. */
  readonly passkeys: Passkeys;
  /** Life of a connection from now on, in ms, where it links nothing. */
  lifeMs = LIFE_MS;
  private readonly byRef = new Map<string, Registration>();
  private readonly byConnection = new Map<Connection, Registration>();
  private readonly lives = new Map<Connection, NodeJS.Timeout>();

  constructor(
    population: Population,
    private readonly versions: Versions,
  ) {
    const { rules, notices } = this;
    this.passkeys = new Passkeys(population, rules, notices, ({ connection }) => this.keep(connection));
    this.codes = new CodeRequests(versions, rules, notices, this.passkeys);
  }

  offer(connection: Connection, handshake: HandshakeResult): void {
    const registration = readRegistration(connection, handshake);
    this.byConnection.set(connection, registration);
    this.lives.set(
      connection,
      setTimeout(() => connection.end(stanza('xmlstreamend')), this.lifeMs),
    );
    for (const ref of registration.refs) this.byRef.set(ref, registration);
    const refs = registration.refs.map((ref) => stanza('ref', {}, Buffer.from(ref)));
    // No caller has to wait for the answer: a client that does not answer shows no QR code.
    connection
      .ask({ type: 'set', xmlns: 'md', to: SERVER }, [stanza('pair-device', {}, refs)])
      .catch(() => undefined);
  }

  /** Finds what a device said about itself that is not linked yet; undefined once it is. */
  registrationOf(connection: Connection): Registration | undefined {
    return this.byConnection.get(connection);
  }

  forget(connection: Connection): void {
    const registration = this.byConnection.get(connection);
    for (const ref of registration?.refs ?? []) this.byRef.delete(ref);
    if (registration) this.codes.forget(registration);
    if (registration) this.passkeys.forget(registration);
    this.byConnection.delete(connection);
    this.keep(connection);
  }

  /** Forgets the rules of all numbers, and what was told about their linking. */
  reset(): void {
    this.rules.clearAll();
    this.notices.clear();
    this.passkeys.clear();
    this.lifeMs = LIFE_MS;
  }

  async scan(person: Person, text: string): Promise<Companion> {
    const qr = parseQr(text);
    if (!qr)
      throw new Refusal(400, 'VALIDATION_FAILED', 'qr is not the text of a linking QR code', { field: 'qr' });
    const registration = this.byRef.get(qr.ref);
    if (!registration?.connection.open) {
      const message = 'qr has expired: the connection that showed it is gone';
      throw new Refusal(410, 'QR_EXPIRED', message, { field: 'qr' });
    }
    if (!matches(qr, registration)) {
      const message = 'qr does not belong to the connection that showed it: its keys differ';
      throw new Refusal(400, 'VALIDATION_FAILED', message, { field: 'qr' });
    }
    refuseOldClient(this.versions, person, registration);
    const link = async (): Promise<Companion> => {
      assertRedrawn(person, registration, qr, { rules: this.rules.of(person), notices: this.notices });
      return this.passkeys.linkOrAsk(person, registration, qr.advSecret);
    };
    return lockRegistration(registration, 'qr', link);
  }

  /** Lets a connection live although it links nothing. */
  private keep(connection: Connection): void {
    clearTimeout(this.lives.get(connection));
    this.lives.delete(connection);
  }
}

const matches = (qr: ScannedQr, registration: Registration): boolean =>
  qr.noiseKey.equals(registration.noiseKey) && qr.identity.equals(registration.identity);
