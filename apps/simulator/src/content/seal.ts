import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import type { Seal } from '../kinds/parts/kind.js';
import type { SealedBody, SealName } from '../kinds/parts/sealed-body.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';

/** Length of a message's secret. */
const SECRET_BYTES = 32;
const IV_BYTES = 12;

/** Makes a secret of a message. */
export const newSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** A message that sealed words are about. */
export interface SealTarget {
  id: string;
  writer: Person;
  secret: Buffer;
}

/** Finds the message that sealed words are about: one of an account that came to anybody, or one that anybody has written. */
export function sealTarget(
  author: Person,
  id: string,
  { secret, writer }: SealedBody,
  people: Population,
): SealTarget {
  const known = received(id, people) ?? written(id, people);
  const named = writer === undefined ? undefined : people.get(writer);
  return {
    id,
    writer: named ?? known?.writer ?? author,
    secret: secret === undefined ? (known?.secret ?? newSecret()) : Buffer.from(secret, 'base64'),
  };
}

/** The account's own phone may get its copy after the contact has. */
function received(id: string, people: Population): SealTarget | undefined {
  const message = [...people.all()].flatMap((one) => one.received.filter((each) => each.id === id))[0];
  const writer = message && people.get(message.from);
  const { messageContextInfo } = Object(message?.message) as {
    messageContextInfo?: { messageSecret?: string };
  };
  return writer && { id, writer, secret: Buffer.from(messageContextInfo?.messageSecret ?? '', 'base64') };
}

function written(id: string, people: Population): SealTarget | undefined {
  for (const writer of people.all()) {
    const secret = writer.sent.get(id)?.secret;
    if (secret !== undefined) return { id, writer, secret: Buffer.from(secret, 'base64') };
  }
  return undefined;
}

/** Makes the seal of words of an author about a message. Those of a vote are bound to their voter once more. */
export function sealFor(author: Person, { id, writer, secret }: SealTarget, names: SealedBody): Seal {
  const by = addressOf(author, names.by);
  return (label, words) => {
    const info = `${id}${addressOf(writer, names.author)}${by}${label}`;
    const key = Buffer.from(hkdfSync('sha256', secret, '', info, SECRET_BYTES));
    const encIv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, encIv);
    if (label === 'Poll Vote') cipher.setAAD(Buffer.from(`${id}\0${by}`));
    const encPayload = Buffer.concat([cipher.update(words), cipher.final(), cipher.getAuthTag()]);
    return { encPayload, encIv };
  };
}

/** Names a person by the address that a seal has. */
export const addressOf = ({ lid, phone }: Person, name: SealName = 'lid'): string =>
  name === 'lid' ? hiddenAddress(lid) : phoneAddress(phone);
