// Takes one challenge from a gateway to the platform's page, and the answer back. It lives in this tab alone: closing it ends it.
import { partsOf } from './address.js';

const PLATFORM = 'https://web.whatsapp.com/';
const SAID = {
  asked: 'The platform’s page opens: give your passkey there.',
  done: 'Done. Go back to the link page.',
  notAllowed: 'Without your leave the helper cannot reach that address.',
  wrongAddress: 'That is not an address of a link page.',
  NotAllowedError: 'The passkey was not given. Ask for another address on the link page, and try again.',
  LINK_NOT_FOUND: 'This address is not known, or a newer one has replaced it.',
  LINK_CONFLICT: 'This address was used already. Ask for another one on the link page.',
  LINK_ENDED: 'This address was used, or its time is over. Ask for another one on the link page.',
  PASSKEY_NOT_FOUND: 'The time of this address is over. Ask for another one on the link page.',
  PASSKEY_ENDED: 'This link has come to nothing. Look at the link page.',
  PASSKEY_CONFLICT: 'The question was answered already. Look at the link page.',
  other: 'That did not work. Look at the link page, and try again.',
};

const state = document.getElementById('state');
const say = (what) => (state.textContent = SAID[what] ?? SAID.other);

/** The ceremony that is under way: there is one at a time. */
let ceremony;

async function post(gateway, what, body, key) {
  const answer = await fetch(`${gateway}/v1/public/passkey/${what}`, {
    ...{ method: 'POST', credentials: 'omit', cache: 'no-store', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
  });
  const said = answer.status === 204 ? {} : await answer.json();
  if (!answer.ok) throw new Error(said.code);
  return said;
}

/** Shows the platform's page: one that is open is loaded anew, so that it asks for the challenge. */
async function showPlatform() {
  const [tab] = await chrome.tabs.query({ url: `${PLATFORM}*` });
  if (!tab) return chrome.tabs.create({ url: PLATFORM });
  await chrome.tabs.update(tab.id, { active: true });
  await chrome.tabs.reload(tab.id);
}

document.getElementById('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const parts = partsOf(document.getElementById('address').value);
  if (!parts) return say('wrongAddress');
  // Asked for within the click, or the browser shows no question.
  if (!(await chrome.permissions.request({ origins: [`${parts.origin}/*`] }))) return say('notAllowed');
  try {
    const { key, options } = await post(parts.gateway, 'open', { token: parts.token });
    ceremony = { gateway: parts.gateway, key, options };
    say('asked');
    await showPlatform();
  } catch (error) {
    say(error.message);
  }
});

/** Gives the challenge to the platform's page, once. */
function takeChallenge() {
  const { options } = ceremony ?? {};
  if (ceremony) delete ceremony.options;
  return options;
}

async function handIn(assertion) {
  const { gateway, key } = ceremony;
  // Ended before the gateway answers, which may take long: by then another one may be under way.
  ceremony = undefined;
  try {
    await post(gateway, 'response', assertion, key);
    say('done');
  } catch (error) {
    say(error.message);
  }
}

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  // Only the platform's page, in a tab, is spoken to.
  if (sender.origin !== new URL(PLATFORM).origin || !ceremony) return;
  if (message.ask === 'challenge') answer(takeChallenge());
  if (message.failed) say(message.failed);
  if (message.assertion) void handIn(message.assertion);
});
