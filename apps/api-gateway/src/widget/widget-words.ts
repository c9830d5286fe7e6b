/** Corners of the page that a widget may be in. */
export const WIDGET_SIDES = ['right', 'left'] as const;
export type WidgetSide = (typeof WIDGET_SIDES)[number];

/** Texts of the widget besides the tenant's own words. */
export interface WidgetWords {
  open: string;
  close: string;
  scan: string;
  code: string;
}

export const WIDGET_WORDS = {
  en: { open: 'Open the chat', close: 'Close', scan: 'Or scan with your phone', code: 'QR code of the chat' },
  de: {
    open: 'Chat öffnen',
    close: 'Schließen',
    scan: 'Oder mit dem Telefon scannen',
    code: 'QR-Code des Chats',
  },
  es: {
    open: 'Abrir el chat',
    close: 'Cerrar',
    scan: 'O escanéalo con el teléfono',
    code: 'Código QR del chat',
  },
  fr: {
    open: 'Ouvrir le chat',
    close: 'Fermer',
    scan: 'Ou scannez avec votre téléphone',
    code: 'Code QR du chat',
  },
  it: {
    open: 'Apri la chat',
    close: 'Chiudi',
    scan: 'O inquadra con il telefono',
    code: 'Codice QR della chat',
  },
  pt: {
    open: 'Abrir a conversa',
    close: 'Fechar',
    scan: 'Ou leia com o telefone',
    code: 'Código QR da conversa',
  },
} satisfies Record<string, WidgetWords>;

export type WidgetLanguage = keyof typeof WIDGET_WORDS;
export const WIDGET_LANGUAGES = Object.keys(WIDGET_WORDS) as WidgetLanguage[];
