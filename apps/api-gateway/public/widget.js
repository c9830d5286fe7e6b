// Puts a button on a page that opens a small window: greeting, link to a chat, and a QR code for those at a desk.
// Everything is built by hand in a shadow tree with a constructed style sheet, so that the page's own styles and its
// Content-Security-Policy stay as they are: it needs script-src and connect-src for this origin, and nothing else.
(async () => {
  const script = document.currentScript;
  const answer = await fetch(new URL('config', script.src), {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
  if (!answer.ok) return;
  const { title, greeting, link, qr, color, ink, side, language, words } = await answer.json();
  if (!link) return;

  const SVG = 'http://www.w3.org/2000/svg';
  const make = (name, attributes = {}, ...children) => {
    const isSvg = name === 'svg' || name === 'path';
    const element = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial; position: fixed; bottom: 20px; ${side}: 20px; z-index: 2147483000;
      font: 16px/1.4 system-ui, sans-serif; color: #1a1a1a; }
    button, a { font: inherit; cursor: pointer; }
    button:focus-visible, a:focus-visible { outline: 3px solid #1a1a1a; outline-offset: 2px; box-shadow: 0 0 0 2px #fff; }
    .open { width: 60px; height: 60px; border: 0; border-radius: 50%; background: ${color}; color: ${ink};
      box-shadow: 0 4px 14px rgb(0 0 0 / .3); }
    .open svg { width: 30px; height: 30px; display: block; margin: auto; fill: currentColor; }
    .window { position: absolute; bottom: 76px; ${side}: 0; width: min(300px, calc(100vw - 40px)); padding: 20px;
      box-sizing: border-box; background: #fff; border-radius: 16px; box-shadow: 0 8px 30px rgb(0 0 0 / .25);
      max-height: calc(100vh - 120px); overflow: auto; animation: rise .2s ease-out; }
    .window[hidden] { display: none; }
    h2 { margin: 0 40px 8px 0; font-size: 18px; }
    p { margin: 0 0 16px; white-space: pre-line; overflow-wrap: anywhere; }
    .close { position: absolute; top: 8px; right: 8px; width: 40px; height: 40px; border: 0; background: none;
      font-size: 24px; line-height: 1; color: #1a1a1a; border-radius: 8px; }
    .link { display: block; padding: 12px; border-radius: 10px; text-align: center; text-decoration: none; font-weight: 600;
      background: ${color}; color: ${ink}; }
    .scan { margin: 16px 0 0; text-align: center; font-size: 14px; }
    .scan svg { display: block; width: 150px; height: 150px; margin: 0 auto 8px; }
    @media (max-width: 480px) { .scan { display: none; } }
    @media (prefers-reduced-motion: reduce) { .window { animation: none; } }
    @keyframes rise { from { opacity: 0; transform: translateY(8px); } }`);

  const bubble =
    'M12 3C6.5 3 2 6.7 2 11.2c0 2.6 1.5 4.9 3.8 6.4L5 21.5l4.4-2.4c.8.2 1.7.3 2.6.3 5.5 0 10-3.7 10-8.2S17.5 3 12 3z';
  const opener = make(
    'button',
    {
      class: 'open',
      type: 'button',
      'aria-expanded': 'false',
      'aria-controls': 'window',
      'aria-label': title,
    },
    make('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, make('path', { d: bubble })),
  );
  const close = make('button', { class: 'close', type: 'button', 'aria-label': words.close }, '\u00d7');
  const chat = make(
    'a',
    { class: 'link', href: link, target: '_blank', rel: 'noopener noreferrer' },
    words.open,
  );
  const code = make(
    'svg',
    {
      viewBox: `-4 -4 ${qr.size + 8} ${qr.size + 8}`,
      role: 'img',
      'aria-label': words.code,
      'shape-rendering': 'crispEdges',
    },
    make('path', { d: qr.path }),
  );
  const dialog = make(
    'div',
    { class: 'window', id: 'window', role: 'dialog', 'aria-labelledby': 'title', tabindex: '-1', hidden: '' },
    make('h2', { id: 'title' }, title),
    make('p', {}, greeting),
    chat,
    make('div', { class: 'scan' }, code, words.scan),
    close,
  );

  const show = (isOpen) => {
    dialog.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
    (isOpen ? chat : opener).focus();
  };
  opener.addEventListener('click', () => show(dialog.hidden));
  close.addEventListener('click', () => show(false));

  const host = make('div', { lang: language });
  host.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || dialog.hidden) return;
    event.stopPropagation();
    show(false);
  });
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  root.append(dialog, opener);
  const place = () => document.body.append(host);
  if (document.body) place();
  else document.addEventListener('DOMContentLoaded', place);
})().catch(() => undefined);
