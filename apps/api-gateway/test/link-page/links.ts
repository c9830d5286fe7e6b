import { ConfirmTenantName, type SessionState } from '@svc/contracts';
import { type Answer, gateway, tenant } from '../support/gateway.js';

/** Place where people get the browser helper. */
export const HELPER_URL = 'https://www.example.com/link-helper';
/** Environment of a gateway behind a proxy, where a visitor is whom that names, with a place to get the helper. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1/32', LINK_HELPER_URL: HELPER_URL };

let visitors = 0;
/** Header of another visitor each time: one alone may ask so often in a second. */
const asVisitor = (): Record<string, string> => ({
  'x-forwarded-for': `2001:db8:0:${(++visitors).toString(16)}::1`,
});

/** A session that is being linked. */
export const unlinked = (status: SessionState['status'] = 'AWAITING_SCAN'): SessionState =>
  gateway.fakes.addSession(tenant.tenantId, { status, phone: null });

/** The operator confirms the name of this file's tenant. */
export const confirmName = (
  name: string | null = 'Acme Flowers',
  tenantId = tenant.tenantId,
): Promise<unknown> => gateway.service.rpc.request(ConfirmTenantName, { tenantId, name, operator: 'Ada' });

export const order = (sessionId: string, body: object = {}, key = tenant.apiKey): Promise<Answer> =>
  gateway.call(key, `POST /v1/sessions/${sessionId}/link-page`, body);

/** Makes a link, and gives the token of its address. */
export async function tokenFor(sessionId: string, body: object = {}): Promise<string> {
  const answer = await order(sessionId, body);
  if (answer.status !== 201) throw new Error(`no link: ${JSON.stringify(answer.body)}`);
  return String(answer.body['address']).split('/').at(-1) ?? '';
}

/** Asks as the page does, which has the key of its browser, or none yet. */
export const page = (route: string, body?: object, key?: string): Promise<Answer> => {
  const [method = '', path = ''] = route.split(' ');
  return gateway.call(key, `${method} /v1/public/link${path}`, body, asVisitor());
};

export const look = (token: string): Promise<Answer> => page('POST /look', { token });
export const open = (token: string): Promise<Answer> =>
  page('POST /open', { token, consents: true, language: 'en' });

/** Opens a link as its person does, and gives the key of the browser. */
export async function opened(sessionId: string, body: object = {}): Promise<string> {
  return String((await open(await tokenFor(sessionId, body))).body['key']);
}

/** Answer of a browser to a challenge, as far as the gateway looks at it. */
export const ASSERTION = {
  ...{ id: 'cGFzc2tleQ', rawId: 'cGFzc2tleQ', type: 'public-key' },
  response: { clientDataJSON: 'YQ', authenticatorData: 'Yg', signature: 'Yw' },
};

/** Asks as the browser helper does. */
export const helper = (what: 'open' | 'response', body: object, key?: string): Promise<Answer> =>
  gateway.call(key, `POST /v1/public/passkey/${what}`, body, asVisitor());

/** Does what the helper does with the token of its address. */
export async function help(token: string): Promise<Answer> {
  const { body } = await helper('open', { token });
  return helper('response', ASSERTION, String(body['key']));
}
