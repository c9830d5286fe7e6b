import { bareAddress, digitsOf, parseAddress, phoneAddress } from '@svc/contracts';
import { NoAnswerError, NotOnPlatformError } from '../../errors.js';
import { BoundedCache } from '../library/library-options.js';
import type { LibrarySocket } from '../messages/outgoing.js';

const CACHE_LIMIT = 5_000;

// Library patch: account-addresses
/**
 * Knows where the platform reaches the account of a number. Many numbers are written in two ways, and the platform knows one of them: what
 * goes to the other reaches nobody. Which one it is, the platform alone says.
 */
export class AccountAddresses {
  /** Address of the account by the address that was asked for, where it is another one. */
  private readonly others = new BoundedCache(CACHE_LIMIT);

  constructor(private readonly sock: LibrarySocket) {}

  /**
   * Looks up the address of a number; null when the platform does not know it.
   * @throws NoAnswerError
   */
  async lookUp(digits: string): Promise<string | null> {
    const answers = await answerTo(this.sock.onWhatsApp(digits));
    const address = bareAddress(answers.find(({ exists }) => exists)?.jid) ?? null;
    const asked = phoneAddress(digits);
    if (address === null || address === asked) this.others.del(asked);
    else this.others.set(asked, address);
    return address;
  }

  /**
   * Names the address of the account that an address stands for, and learns its devices. The platform takes a message to somebody whose
   * devices the library does not know, and brings it to nobody: it would count as sent.
   * @throws NotOnPlatformError
   * @throws NoAnswerError
   */
  async of(to: string): Promise<string> {
    const known = this.others.get<string>(to) ?? to;
    if (await this.hasDevices(known)) return known;
    const digits = digitsOf(to);
    const address = digits === undefined ? known : await this.lookUp(digits);
    if (address === null) throw new NotOnPlatformError();
    if (address !== known && (await this.hasDevices(address))) return address;
    throw new Error('The platform did not tell which devices the recipient has.');
  }

  /**
   * Names the accounts of persons, by the addresses that stand for them, where those are others. Whom the platform does not know is named as
   * he was.
   * @throws NoAnswerError
   */
  async othersOf(addresses: string[]): Promise<Record<string, string>> {
    const known = addresses.map((address) => this.others.get<string>(address) ?? address);
    const found = await this.withDevices(known);
    const accounts = await Promise.all(
      known.map(async (address, place) => {
        const digits = digitsOf(addresses[place]);
        if (found.has(address) || digits === undefined) return address;
        return (await this.lookUp(digits)) ?? address;
      }),
    );
    const named = addresses.map((address, place) => [address, accounts[place]] as [string, string]);
    return Object.fromEntries(named.filter(([address, account]) => address !== account));
  }

  private async hasDevices(address: string): Promise<boolean> {
    return (await this.withDevices([address])).has(address);
  }

  /** Picks the addresses of which the platform names devices; the library keeps the answer, so that it does not ask again. */
  private async withDevices(addresses: string[]): Promise<Set<string>> {
    const own = bareAddress(this.sock.authState.creds.me?.id) ?? '';
    const devices = await this.sock.getUSyncDevices([own, ...addresses], true, false);
    const users = new Set(devices.map(({ user }) => user));
    return new Set(addresses.filter((address) => users.has(parseAddress(address)?.user ?? '')));
  }
}

// Library patch: missing-answers
/** Waits for an answer, and throws where the platform did not answer: the library returns nothing then, or fails at it. */
export async function answerTo<T>(question: Promise<T | undefined>): Promise<T> {
  const answer = await question.catch(() => undefined);
  if (answer === undefined) throw new NoAnswerError();
  return answer;
}
