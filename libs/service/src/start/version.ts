/** The line that `tools/bundle.mjs` writes into a program. */
declare const SVC_VERSION: string | undefined;

/** Version of the app whose program this is, which its `package.json` has; each app has one of its own (docs/adr/0050). */
export const VERSION = typeof SVC_VERSION === 'string' ? SVC_VERSION : 'not bundled';
