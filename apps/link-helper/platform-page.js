// Runs on the platform's own page, where alone a browser gives its passkey. Asks the helper whether there is a challenge: mostly there is none,
// and then it does nothing at all.
(async () => {
  const challenge = await chrome.runtime.sendMessage({ ask: 'challenge' }).catch(() => undefined);
  if (!challenge) return;
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(challenge);
    const credential = await navigator.credentials.get({ publicKey });
    await chrome.runtime.sendMessage({ assertion: credential.toJSON() });
  } catch (error) {
    await chrome.runtime.sendMessage({ failed: error.name });
  }
})();
