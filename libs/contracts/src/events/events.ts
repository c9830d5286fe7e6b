import type { EventContract } from '../contract.js';
import { ASSISTANT_EVENTS } from './assistant-events.js';
import { CALL_EVENTS } from './call-events.js';
import { LIVE_LOCATION_EVENTS } from './live-location-events.js';
import { LLM_EVENTS } from './llm-events.js';
import { MESSAGE_EVENTS } from './message-events.js';
import { POLL_EVENTS } from './poll-events.js';
import { SESSION_EVENTS } from './session-events.js';
import { SUBSCRIPTION_EVENTS } from './subscription-events.js';
import { WEBHOOK_EVENTS } from './webhook-events.js';

/** All events. */
export const EVENTS = [
  ...MESSAGE_EVENTS,
  ...SESSION_EVENTS,
  ...WEBHOOK_EVENTS,
  ...POLL_EVENTS,
  ...LIVE_LOCATION_EVENTS,
  ...CALL_EVENTS,
  ...SUBSCRIPTION_EVENTS,
  ...LLM_EVENTS,
  ...ASSISTANT_EVENTS,
] as const;

/** An event that an endpoint of a customer can subscribe to. */
export type PublicEventContract = Extract<(typeof EVENTS)[number], { readonly public: true }>;
/** Name of an event that an endpoint of a customer can subscribe to (specification, "Events"; those of endpoints are ours). */
export type PublicEvent = PublicEventContract['name'];

/** The public events, in the order of the description. */
export const PUBLIC_EVENT_CONTRACTS = EVENTS.filter((event): event is PublicEventContract => event.public);
/** The names of the public events, in the order of the description. */
export const PUBLIC_EVENTS: readonly PublicEvent[] = PUBLIC_EVENT_CONTRACTS.map(({ name }) => name);
/** Names of the events that an endpoint gets that names none: the nine of the specification. Every other one has to be named. */
export const UNNAMED_EVENTS: readonly PublicEvent[] = PUBLIC_EVENT_CONTRACTS.filter(
  (event: EventContract) => !event.onlyNamed,
).map(({ name }) => name);
