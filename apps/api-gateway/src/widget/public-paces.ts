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
    this.addresses.take(ip);
    this.widgets.take(widgetId);
  }
}
