import { isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { KeyedPaces } from '@svc/service';

/** A page asks twice when it is loaded: this is ten pages a second from one address, and a busy site. */
const PER_ADDRESS = 20;
const PER_WIDGET = 500;

/** This class limits how often strangers may ask: one address, and all of them for one widget. */
@Injectable()
export class PublicPaces {
  private readonly addresses = new KeyedPaces(PER_ADDRESS, 'This address asks too often.');
  private readonly widgets = new KeyedPaces(PER_WIDGET, 'This widget is asked for too often.');

  /** @throws AppError `RATE_LIMITED`, layer `request`. */
  take(ip: string, widgetId: string): void {
    this.takeAddress(ip);
    this.widgets.take(widgetId);
  }

  /** Limits one address, whatever it asks for. @throws AppError `RATE_LIMITED`, layer `request`. */
  takeAddress(ip: string): void {
    this.addresses.take(visitorOf(ip));
  }
}

/** Names who is behind an address: of IPv6 a visitor has a whole network, whose name is the first half. */
export function visitorOf(ip: string): string {
  const [address = ''] = ip.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? ip;
  const [head = [], tail = []] = address
    .split('::')
    .map((groups) => groups.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const network = [...head, ...zeros, ...tail].slice(0, 4);
  return network.map((group) => parseInt(group, 16).toString(16)).join(':');
}
