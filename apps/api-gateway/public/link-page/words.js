// What the page says. {tenant} and {installation} are names that the operator has confirmed.
const en = {
  title: 'Link your number to {tenant}',
  who: '{tenant}, and {installation}, which runs the service for it, will be able to read every message of this number, also earlier ones that your phone hands over, and to write in your name.',
  until: 'They can do so until you end it.',
  endTitle: 'How to end it',
  end: 'On your phone: open Settings, then Linked devices, tap the device with this name, and log it out.',
  doubt: 'If nobody whom you know has sent you this address, close this page.',
  agree: 'I have read this, and I agree.',
  go: 'Link my number',
  waiting: 'One moment: a code is on its way.',
  ways: 'Link your phone',
  scan: 'On your phone, open Settings, Linked devices, Link a device, and scan this code.',
  qr: 'QR code to scan with your phone',
  type: 'Are you on that phone? Type a code instead.',
  phone: 'Your number, with its country code',
  phoneExample: '+49…',
  ask: 'Show a code',
  typed: 'On your phone, open Settings, Linked devices, Link a device, Link with phone number, and type:',
  passkey: 'Your account wants its passkey',
  passkeyHow:
    'Your account is protected by a passkey. It can be given on the page of the platform alone, with the browser helper, in Chrome on a computer. The helper answers this one question and learns nothing else.',
  helperHere: 'Get the helper here',
  helperFrom: 'Whoever sent you this link tells you where to get the helper.',
  helper: 'Use the helper',
  helperAddress: 'Open the helper in Chrome, and paste this address',
  sent: 'Go on with your phone: it will show a code.',
  compare: 'Compare the codes',
  compareHow: 'Does your phone show this code?',
  same: 'Yes, it is the same',
  other: 'No, stop',
  finishing: 'Confirm on your phone, too. One moment…',
  linked: 'Your number is linked',
  linkedHow: '{tenant} and {installation} can read and write on the number {phone} now.',
  back: 'Go on',
  ended: 'This did not come to an end: {why} Try it once more.',
  problems: {
    LINK_NOT_FOUND: 'This link does not exist, or a newer one has replaced it. Open the newest one.',
    LINK_CONFLICT: 'This link was opened in another browser. Go on there, or ask for another link.',
    LINK_ENDED: 'The time of this link is over, or it was used. Ask for another one.',
    LINK_PAGE_NOT_ALLOWED: 'This link cannot be used any more. Ask whoever sent it.',
    SESSION_NOT_FOUND: 'This link cannot be used any more. Ask whoever sent it.',
    PAYMENT_REQUIRED: 'This link cannot be used at this moment. Ask whoever sent it.',
    PASSKEY_CONFLICT: 'Another tab has taken this step. Go on with what you see now.',
    VALIDATION_FAILED: 'That is not right. Look at it once more.',
    other: 'The gateway does not answer. We keep trying.',
  },
  ends: {
    REFUSED: 'the platform has refused the passkey.',
    PHONE_SILENT: 'your phone did not go on.',
    EXPIRED: 'the time was over.',
    CONNECTION_LOST: 'the connection was lost.',
    NO_ANSWER: 'the platform did not answer.',
    UNREADABLE: 'the platform said something that we do not understand.',
    GIVEN_UP: 'it was stopped.',
  },
};

const de = {
  title: 'Ihre Nummer mit {tenant} verbinden',
  who: '{tenant} und {installation}, der Betreiber des Dienstes, können dann jede Nachricht dieser Nummer lesen, auch frühere, die Ihr Telefon übergibt, und in Ihrem Namen schreiben.',
  until: 'Das gilt, bis Sie es beenden.',
  endTitle: 'So beenden Sie es',
  end: 'Auf dem Telefon: Einstellungen, Verknüpfte Geräte, das Gerät mit diesem Namen antippen und abmelden.',
  doubt: 'Hat Ihnen niemand, den Sie kennen, diese Adresse geschickt, schließen Sie die Seite.',
  agree: 'Ich habe das gelesen und bin einverstanden.',
  go: 'Meine Nummer verbinden',
  waiting: 'Einen Moment: Der Code kommt gleich.',
  ways: 'Telefon verbinden',
  scan: 'Auf dem Telefon: Einstellungen, Verknüpfte Geräte, Gerät hinzufügen, und diesen Code scannen.',
  qr: 'QR-Code zum Scannen mit dem Telefon',
  type: 'Sind Sie gerade an diesem Telefon? Tippen Sie stattdessen einen Code ein.',
  phone: 'Ihre Nummer mit Ländervorwahl',
  phoneExample: '+49…',
  ask: 'Code zeigen',
  typed:
    'Auf dem Telefon: Einstellungen, Verknüpfte Geräte, Gerät hinzufügen, Mit Telefonnummer verknüpfen, und eintippen:',
  passkey: 'Ihr Konto verlangt seinen Passkey',
  passkeyHow:
    'Ihr Konto ist durch einen Passkey geschützt. Er kann nur auf der Seite der Plattform gegeben werden, mit dem Browser-Helfer, in Chrome am Computer. Der Helfer beantwortet diese eine Frage und erfährt sonst nichts.',
  helperHere: 'Den Helfer hier holen',
  helperFrom: 'Wer Ihnen diesen Link geschickt hat, sagt Ihnen, wo Sie den Helfer bekommen.',
  helper: 'Den Helfer benutzen',
  helperAddress: 'Öffnen Sie den Helfer in Chrome, und fügen Sie diese Adresse ein',
  sent: 'Weiter am Telefon: Es wird einen Code zeigen.',
  compare: 'Codes vergleichen',
  compareHow: 'Zeigt Ihr Telefon diesen Code?',
  same: 'Ja, es ist derselbe',
  other: 'Nein, abbrechen',
  finishing: 'Bestätigen Sie auch am Telefon. Einen Moment …',
  linked: 'Ihre Nummer ist verbunden',
  linkedHow: '{tenant} und {installation} können jetzt auf der Nummer {phone} lesen und schreiben.',
  back: 'Weiter',
  ended: 'Das kam nicht zum Ende: {why} Versuchen Sie es noch einmal.',
  problems: {
    LINK_NOT_FOUND: 'Diesen Link gibt es nicht, oder ein neuerer hat ihn ersetzt. Öffnen Sie den neuesten.',
    LINK_CONFLICT:
      'Dieser Link wurde in einem anderen Browser geöffnet. Machen Sie dort weiter, oder bitten Sie um einen neuen.',
    LINK_ENDED: 'Die Zeit dieses Links ist abgelaufen, oder er wurde benutzt. Bitten Sie um einen neuen.',
    LINK_PAGE_NOT_ALLOWED: 'Dieser Link gilt nicht mehr. Fragen Sie, wer ihn geschickt hat.',
    SESSION_NOT_FOUND: 'Dieser Link gilt nicht mehr. Fragen Sie, wer ihn geschickt hat.',
    PAYMENT_REQUIRED: 'Dieser Link gilt zurzeit nicht. Fragen Sie, wer ihn geschickt hat.',
    PASSKEY_CONFLICT:
      'Ein anderer Tab hat diesen Schritt getan. Machen Sie mit dem weiter, was Sie jetzt sehen.',
    VALIDATION_FAILED: 'Das stimmt so nicht. Sehen Sie noch einmal hin.',
    other: 'Das Gateway antwortet nicht. Wir versuchen es weiter.',
  },
  ends: {
    REFUSED: 'Die Plattform hat den Passkey abgelehnt.',
    PHONE_SILENT: 'Ihr Telefon machte nicht weiter.',
    EXPIRED: 'Die Zeit war um.',
    CONNECTION_LOST: 'Die Verbindung ging verloren.',
    NO_ANSWER: 'Die Plattform antwortete nicht.',
    UNREADABLE: 'Die Plattform sagte etwas, das wir nicht verstehen.',
    GIVEN_UP: 'Es wurde abgebrochen.',
  },
};

const LANGUAGES = { en, de };

/** Chooses the first language of the person that the page has. */
export function chooseWords(languages) {
  const language =
    languages.map((one) => one.slice(0, 2).toLowerCase()).find((one) => one in LANGUAGES) ?? 'en';
  return { language, words: LANGUAGES[language] };
}

/** Puts names into a text. */
export const filled = (text, names) => text.replace(/\{(\w+)\}/g, (_, name) => names[name] ?? '');
