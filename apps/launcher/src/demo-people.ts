/** People of the simulator. The numbers are plausible, since the gateway refuses others. */
export const DEMO_ACCOUNT = { phone: '4915550001000', name: 'Demo shop' };
export const DEMO_CONTACT = { phone: '4915550002000', name: 'Demo customer' };

/** A phone to scan with and somebody to write to, so that the commands on the screen work as they stand. */
export async function demoPeople(control: string): Promise<void> {
  await post(`${control}/accounts`, DEMO_ACCOUNT);
  await post(`${control}/contacts`, DEMO_CONTACT);
}

async function post(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) throw new Error(`the simulator answered ${answer.status} to POST ${new URL(url).pathname}`);
}
