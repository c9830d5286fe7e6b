import type { MessageReferral } from '@svc/contracts';
import type { proto } from '@whiskeysockets/baileys';

/** Longest field of a referral, in characters. */
const MOST_REFERRAL_CHARS = 2_000;

/**
 * Reads which advert brought a message; undefined for none. Often the platform says only that there was one, and where it was: the way into a
 * chat alone is no advert.
 */
export function referralIn(context: proto.IContextInfo): MessageReferral | undefined {
  const { externalAdReply, conversionSource, ctwaSignals, ctwaPayload } = context;
  const isAdvert = externalAdReply ?? conversionSource ?? ctwaSignals ?? (ctwaPayload?.length || undefined);
  if (!isAdvert) return undefined;
  const { sourceType, sourceId, sourceUrl, ctwaClid, title, body, thumbnailUrl } = externalAdReply ?? {};
  const named = {
    ...{ sourceType, sourceId, sourceUrl, clickId: ctwaClid, title, body, thumbnailUrl },
    ...{ conversionSource, entryPoint: context.entryPointConversionSource },
    app: context.entryPointConversionApp,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) =>
      value ? [[name, value.slice(0, MOST_REFERRAL_CHARS)]] : [],
    ),
  );
}
