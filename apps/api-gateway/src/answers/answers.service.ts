import { Injectable } from '@nestjs/common';
import { type AnswerReply, AppError, type SendAnswerV1, type SubscriptionState } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { MessagesRepository } from '../messages/messages.repository.js';
import { AdmissionService } from '../sending/admission.service.js';
import { type OutboundMessage, outboundMessageOf } from '../sending/outbound-message.js';
import { SendPublisher } from '../sending/send-publisher.js';
import { SendingService } from '../sending/sending.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { isSuspended } from '../tenants/suspension.js';
import { AnswersRepository } from './answers.repository.js';

const ACCEPTED: AnswerReply = { outcome: 'ACCEPTED' };
const OVERTAKEN: AnswerReply = { outcome: 'OVERTAKEN' };
/** Status from which on an error says nothing of the answer: whoever asks tries again. */
const FAULT = 500;

/** This class sends answers: admitted as the messages of the API are, and only where nobody else has written to the chat meanwhile. */
@Injectable()
export class AnswersService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly answers: AnswersRepository,
    private readonly subscriptions: SubscriptionsService,
    private readonly sending: SendingService,
    private readonly admission: AdmissionService,
    private readonly publisher: SendPublisher,
    private readonly dataSource: DataSource,
  ) {}

  /** @throws AppError where it is not known whether the answer would be refused. */
  async send(request: SendAnswerV1): Promise<AnswerReply> {
    const { jobId, tenantId, sessionId, text, sentBy } = request;
    try {
      // Looked up first: of a job that has failed the unit was given back, and asking for it again would take another.
      if (await this.messages.find(tenantId, jobId)) return ACCEPTED;
      const { contact, isOvertaken } = await this.answers.chatOf(request);
      if (isOvertaken) return OVERTAKEN;
      if (await isSuspended(this.dataSource, tenantId)) throw new AppError('TENANT_SUSPENDED');
      const subscription = await this.subscriptions.active(tenantId);
      const asked = outboundMessageOf(tenantId, { sessionId, to: contact, text });
      return await this.admit(subscription, { ...asked, id: jobId, sentBy }, request.after);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= FAULT) throw error;
      return { outcome: 'REFUSED', refusal: error.toBody() };
    }
  }

  private async admit(
    subscription: SubscriptionState,
    message: OutboundMessage,
    after: string,
  ): Promise<AnswerReply> {
    const [ranked] = await this.sending.read(subscription, message, false);
    const complete = await this.sending.complete(subscription, ranked, message);
    const { refusal, writeBefore } = await this.admission.admit(subscription, ranked.session, complete);
    if (refusal) throw refusal;
    const row = await this.answers.insert({ ...complete, writeBefore }, after);
    // The unit of an answer that is not written comes back, a minute or two later, by `limits`.
    if (row === 'OVERTAKEN') return OVERTAKEN;
    if (row) this.publisher.publishInBackground(row);
    else await this.sending.lostRace(subscription, complete);
    return ACCEPTED;
  }
}
