import {
  type ApiDocument,
  fuzzApi,
  type FuzzWorld,
  type ResourceIds,
  seededRandom,
  waitFor,
} from '@svc/testing';
import { Actor } from '../stack/actor.js';
import type { NamedRun } from '../named-run.js';
import { Stack } from '../stack/stack.js';

const REQUESTS = 20_000;
/** After so many a new tenant is asked for: of the old one some things were deleted, some limits are used up. */
const FRESH_AFTER = 480;
const CONTACT = '4915112345678';
const ERASED = '4915112340000';
const FINDINGS_SHOWN = 20;
/** Below it, the run has seen the door and little of the house. */
const LEAST_TAKEN = 0.2;

/** Everything the description allows, and much that it does not, on a healthy stack. */
export const fuzz: NamedRun = {
  summary: `${REQUESTS} requests made up from the OpenAPI description`,
  bound: `no 5xx, no status and no body that is not described; more than ${LEAST_TAKEN * 100} % of the requests are taken`,
  async run({ seed, say }) {
    // Paces and quotas would stand before every route.
    const stack = await Stack.start({
      ...{ REQUESTS_PER_SECOND: '0', REQUEST_PACE: '1000000' },
      ...{ ENDPOINTS_INCLUDED: '10000', KEYS_INCLUDED: '10000', WIDGETS_INCLUDED: '10000' },
    });
    const foreign = await furnish(await Actor.create(stack));
    let world: FuzzWorld | undefined;
    const report = await fuzzApi({
      ...{ origin: stack.file.gateway, document: await localDocument(stack) },
      ...{ requests: REQUESTS, random: seededRandom(seed) },
      world: async (done) => {
        if (world && done % FRESH_AFTER !== 0) return world;
        // Every other tenant is a sandbox: each has routes that the other has not.
        const isSandbox = (done / FRESH_AFTER) % 2 === 1;
        const actor = isSandbox ? await Actor.inSandbox(stack) : await Actor.create(stack);
        await actor.promote();
        say(`  ${done} requests`);
        return (world = { key: actor.tenant.apiKey, own: await furnish(actor), foreign });
      },
    });
    for (const finding of report.findings.slice(0, FINDINGS_SHOWN)) say(`  ${finding}`);
    for (const [route, statuses] of Object.entries(report.routes))
      say(`  ${route} ${JSON.stringify(statuses)}`);
    const { statuses, neverTaken } = report;
    const taken = ofHundred(statuses, '2');
    return {
      figures: {
        seed,
        requests: report.requests,
        statuses,
        taken,
        neverTaken,
        findings: report.findings.length,
      },
      holds: report.findings.length === 0 && taken > LEAST_TAKEN * 100,
    };
  },
};

/** Addresses of the examples are nobody's here: what is fetched or posted to goes no further than this machine. */
async function localDocument(stack: Stack): Promise<ApiDocument> {
  const { body } = await stack.api(undefined, 'GET', '/openapi.json');
  const text = JSON.stringify(body)
    .replaceAll('https://example.com', 'http://127.0.0.1:9')
    .replaceAll('proxy.example.com:1080', '127.0.0.1:9');
  return JSON.parse(text) as ApiDocument;
}

async function furnish(actor: Actor): Promise<ResourceIds> {
  const hook = { name: 'fuzzed', url: 'http://127.0.0.1:9/fuzzed', events: ['message.sent'] };
  const idOf = async (path: string, body: object): Promise<string> =>
    String((await actor.api('POST', path, body)).body['id']);
  const webhooks = await idOf('/v1/webhooks', hook);
  const sent = await actor.send(CONTACT, 'to be asked for');
  await actor.writeFile(CONTACT, 'to be read');
  const first = (path: string): Promise<Record<string, unknown>> =>
    waitFor(
      path,
      async () => (await actor.api<{ items: Record<string, unknown>[] }>('GET', path)).body.items[0],
    );
  const received = String((await first('/v1/messages?direction=INBOUND'))['id']);
  const delivery = await first(`/v1/webhooks/${webhooks}/deliveries`);
  const replay = await actor.api<{ replay: { id: string } }>('POST', `/v1/webhooks/${webhooks}/replay`, {});
  const page = {
    sessionId: actor.sessionId,
    title: 'x',
    greeting: 'x',
    allowedOrigins: ['http://127.0.0.1:9'],
  };
  const widgets = await idOf('/v1/widgets', page);
  const inAnHour = { sendAt: new Date(Date.now() + 3_600_000).toISOString() };
  const later = await actor.api('POST', '/v1/messages', {
    ...{ sessionId: actor.sessionId, to: `+${CONTACT}`, text: 'to be canceled', ...inAnHour },
  });
  await actor.send(ERASED, 'to be erased');
  const erasures = String((await actor.api('DELETE', `/v1/contacts/${ERASED}`)).body['id']);
  const spare = await actor.api('POST', '/v1/api-keys', { name: 'spare', rotates: null });
  return {
    ...{ sessions: actor.sessionId, phone: CONTACT, contact: CONTACT, webhooks, widgets, widget: widgets },
    ...{ received, 'messages/media': received },
    'sessions/pairing-code': await idOf('/v1/sessions', { name: 'unlinked' }),
    conversations: String((await first('/v1/conversations'))['id']),
    ...{ erasures, messages: String(sent.body['jobId']), 'messages/cancel': String(later.body['jobId']) },
    deliveries: String(delivery['deliveryId']),
    ...{ replays: replay.body.replay.id, media: await actor.upload() },
    'api-keys': String(spare.body['kid']),
  };
}

/** Per cent of the answers whose status begins so. */
function ofHundred(statuses: Record<string, number>, beginning: string): number {
  const sum = (of: [string, number][]): number => of.reduce((total, [, count]) => total + count, 0);
  const all = Object.entries(statuses);
  return Math.round((100 * sum(all.filter(([status]) => status.startsWith(beginning)))) / sum(all));
}
