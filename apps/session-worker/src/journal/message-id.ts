import { v5 as uuidv5 } from 'uuid';

/** Namespace of message ids: the same message of the platform always gets the same id. */
const NAMESPACE = '5f1c7c1e-8a53-4f0b-9d3e-0a6a1f6f2b11';

/** Makes the id of a message that a session received. */
export function messageIdOf(sessionId: string, sender: string, keyId: string): string {
  return uuidv5([sessionId, sender, keyId].join('|'), NAMESPACE);
}
