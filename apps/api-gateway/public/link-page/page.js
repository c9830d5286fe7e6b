// Leads a person through the link of their number: who will read and write, consent, code, passkey, the end. What it shows follows the
// gateway's state, which it asks for every two seconds, so that a second tab or a browser that was closed shows the same.
import { chooseWords, filled } from './words.js';

const POLL_MS = 2_000;
/** The platform may want another code to type: it is looked at again so often. */
const CODE_MS = 10_000;
const API = '../v1/public/link';
const SVG = 'http://www.w3.org/2000/svg';
/** Errors after which nothing more can be done here. */
const FINAL = [
  ...['LINK_NOT_FOUND', 'LINK_CONFLICT', 'LINK_ENDED', 'LINK_PAGE_NOT_ALLOWED', 'SESSION_NOT_FOUND'],
  'PAYMENT_REQUIRED',
];

const { language, words } = chooseWords(navigator.languages ?? [navigator.language]);
const page = document.getElementById('page');
const token = location.pathname.split('/').at(-1);
/** Place of the key of this browser; the token itself is kept nowhere. */
const place = `link ${token.slice(0, 8)}`;
let key = localStorage.getItem(place);
/** What is shown: the same is not drawn twice, so that nothing is taken from under a hand. */
let shown;
let names = {};
/** A code to type, once one was asked for, with its number and the time at which it is looked at again. */
let typed;
let typedFor;
let typedUntil = Infinity;
/** Address for the helper, once one was asked for. */
let helperAddress;
/** Challenge of that address: the next one needs another. */
let challenge;
/** Place where people get the helper; null: whoever sent the link knows. */
let helperUrl = null;
let problem;

class Refusal extends Error {
  constructor({ code, meta }) {
    super(code);
    Object.assign(this, { code, meta });
  }
}

async function ask(method, path, body) {
  const answer = await fetch(`${API}${path}`, {
    ...{ method, credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' },
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.status === 204) return {};
  const said = await answer.json();
  if (!answer.ok) throw new Refusal(said);
  return said;
}

function make(name, attributes = {}, ...children) {
  const element =
    name === 'svg' || name === 'path' ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(attribute, value);
    else if (value !== false) element.setAttribute(attribute, value);
  }
  element.append(...children);
  return element;
}

const text = (tag, phrase) => make(tag, {}, filled(phrase, names));
const button = (phrase, click, attributes = {}) =>
  make('button', { type: 'button', click, ...attributes }, phrase);

/** Draws a view, unless it is the one that is shown. */
function show(name, draw) {
  const view = JSON.stringify([name, problem]);
  if (view === shown) return;
  shown = view;
  const isNew = page.firstChild !== null;
  page.replaceChildren(
    ...(problem ? [make('p', { class: 'problem', role: 'alert' }, problem)] : []),
    ...draw().filter(Boolean),
  );
  const heading = page.querySelector('h1');
  if (heading) document.title = heading.textContent;
  if (isNew && heading) {
    heading.tabIndex = -1;
    heading.focus();
  }
}

/** Does what a person wants, and then shows what has become of it. */
const doing = (work) => async (event) => {
  event?.preventDefault();
  const controls = [...page.querySelectorAll('button')];
  for (const control of controls) control.disabled = true;
  problem = undefined;
  try {
    await work(event);
  } catch (error) {
    tell(error);
  }
  for (const control of controls) control.disabled = false;
  await look();
};

function tell(error) {
  // Another tab of this browser was quicker: this one goes on with its key.
  if (error.code === 'LINK_CONFLICT' && localStorage.getItem(place)) return;
  if (FINAL.includes(error.code)) {
    localStorage.removeItem(place);
    key = undefined;
  }
  problem = words.problems[error.code] ?? words.problems.other;
  if (FINAL.includes(error.code)) end();
}

let isOver = false;
/** Nothing follows: only the problem is shown. */
function end() {
  isOver = true;
  show('end', () => []);
}

const ending = () => [text('h2', words.endTitle), text('p', words.end)];

function drawOffer() {
  const box = make('input', { type: 'checkbox', id: 'agree', required: '' });
  const submit = doing(async () => {
    ({ key } = await ask('POST', '/open', { token, consents: true, language }));
    localStorage.setItem(place, key);
  });
  return [
    text('h1', words.title),
    text('p', words.who),
    text('p', words.until),
    ...ending(),
    text('p', words.doubt),
    make(
      'form',
      { submit },
      make('p', {}, box, make('label', { for: 'agree' }, words.agree)),
      make('button', { class: 'main' }, words.go),
    ),
  ];
}

const drawQr = ({ size, path }) =>
  make(
    'svg',
    {
      viewBox: `-4 -4 ${size + 8} ${size + 8}`,
      role: 'img',
      'aria-label': words.qr,
      'shape-rendering': 'crispEdges',
    },
    make('path', { d: path }),
  );

/** Asks for the code to type; the answer is the same one as long as it holds. */
async function askCode(phone) {
  [typedFor, typedUntil] = [phone, Date.now() + CODE_MS];
  typed = (await ask('POST', '/code', { phone })).code;
}

/** Shows the codes; another QR code takes the place of the former one alone, because somebody may be typing beside it. */
function showCodes(qr) {
  show(['scan', typed], () => drawCodes(qr));
  if (qr.path === page.querySelector('.scan path')?.getAttribute('d')) return;
  page.querySelector('.scan svg')?.replaceWith(drawQr(qr));
}

function drawCodes(qr) {
  const input = make('input', {
    ...{ id: 'phone', type: 'tel', autocomplete: 'tel', required: '', placeholder: words.phoneExample },
  });
  const submit = doing(() => askCode(input.value));
  const form = make(
    'form',
    { submit },
    text('h2', words.type),
    make('label', { for: 'phone' }, words.phone, input),
    make('button', {}, words.ask),
  );
  const code = [text('p', words.typed), make('p', { class: 'code' }, typed ?? '')];
  return [
    text('h1', words.ways),
    make(
      'div',
      { class: 'ways' },
      make('section', { class: 'scan' }, text('p', words.scan), drawQr(qr)),
      make('section', {}, ...(typed ? code : [form])),
    ),
  ];
}

function drawChallenge() {
  const stop = button(
    words.other,
    doing(() => ask('DELETE', '/passkey')),
  );
  const begin = doing(async () => {
    const { token: helperToken } = await ask('POST', '/passkey/helper');
    helperAddress = new URL(`../passkey/${helperToken}`, location.href).href;
  });
  const address = make('input', { id: 'helper', readonly: '', value: helperAddress ?? '' });
  return [
    text('h1', words.passkey),
    text('p', words.passkeyHow),
    helperUrl
      ? make('p', {}, make('a', { href: helperUrl, target: '_blank', rel: 'noreferrer' }, words.helperHere))
      : text('p', words.helperFrom),
    helperAddress
      ? make('p', {}, make('label', { for: 'helper' }, words.helperAddress, address))
      : button(words.helper, begin, { class: 'main' }),
    stop,
  ];
}

function drawComparison(code) {
  return [
    text('h1', words.compare),
    text('p', words.compareHow),
    make('p', { class: 'code' }, code),
    button(
      words.same,
      doing(() => ask('POST', '/passkey/confirm', { code })),
      { class: 'main' },
    ),
    button(
      words.other,
      doing(() => ask('DELETE', '/passkey')),
    ),
  ];
}

/** Shows the step of a link that needs a passkey. */
async function showPasskey() {
  const { stage, code, options } = await ask('GET', '/passkey');
  if (options.challenge !== challenge) helperAddress = undefined;
  ({ challenge } = options);
  if (stage === 'challenge') return show(['challenge', helperAddress], drawChallenge);
  helperAddress = undefined;
  if (stage === 'compare') show(['compare', code], () => drawComparison(code));
  else show(stage, () => [text('h1', words.passkey), text('p', words[stage])]);
}

function showEnd({ phone, returnUrl }) {
  isOver = true;
  names = { ...names, phone: phone ?? '' };
  show('linked', () => [
    text('h1', words.linked),
    text('p', words.linkedHow),
    ...ending(),
    returnUrl && make('a', { class: 'go main', href: returnUrl, rel: 'noreferrer' }, words.back),
  ]);
}

let wasPasskey = false;
async function look() {
  if (isOver) return;
  try {
    // Another tab may have opened the link meanwhile.
    key ??= localStorage.getItem(place);
    if (!key) {
      const offer = await ask('POST', '/look', { token });
      if (offer.isOpened) throw new Refusal({ code: 'LINK_CONFLICT' });
      names = offer.names;
      return show('offer', drawOffer);
    }
    const now = await ask('GET', '');
    ({ names, helperUrl } = now);
    if (problem === words.problems.other) problem = undefined;
    if (now.stage === 'linked') return showEnd(now);
    // Whoever comes back from the passkey to a code hears why it has come to nothing; the moment between may be that before the end, too.
    if (wasPasskey && now.stage === 'scan') await ask('GET', '/passkey').catch(tellEnd);
    if (now.stage !== 'waiting') wasPasskey = now.stage === 'passkey';
    if (now.stage === 'passkey') await showPasskey();
    else if (now.stage === 'scan') {
      if (typed && Date.now() >= typedUntil) await askCode(typedFor);
      showCodes(now.qr);
    } else show('waiting', () => [text('h1', words.ways), text('p', words.waiting)]);
  } catch (error) {
    // The stage may change between two questions.
    if (error.code !== 'PASSKEY_ENDED' && error.code !== 'PASSKEY_NOT_FOUND') tell(error);
    if (!isOver && !(error instanceof Refusal)) show('away', () => []);
  }
}

/** Says why a passkey has come to nothing; nobody knows of it any more where the process is gone that had it. */
function tellEnd(error) {
  const { code, meta } = error;
  if (code !== 'PASSKEY_ENDED' && code !== 'PASSKEY_NOT_FOUND') throw error;
  typed = undefined;
  const reason = code === 'PASSKEY_NOT_FOUND' ? 'CONNECTION_LOST' : meta.reason;
  problem = filled(words.ended, { why: words.ends[reason] ?? '' });
}

async function follow() {
  await look();
  if (!isOver) setTimeout(follow, POLL_MS);
}

document.documentElement.lang = language;
await follow();
