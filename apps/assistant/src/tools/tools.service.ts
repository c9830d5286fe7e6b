import { Injectable } from '@nestjs/common';
import { type DeleteToolV1, invalidField, type SetToolV1, TOOLS_MAX, type ToolView } from '@svc/contracts';
import { AddressGuard } from '@svc/outbound-http';
import { HAND_OVER } from '../answers/prompt.js';
import { IDEMPOTENCY_KEY } from '../idempotency-key.js';
import { problemWithParameters } from '../parameters.js';
import { ToolServersService } from '../tool-servers/tool-servers.service.js';
import { type Tool, ToolRepository } from './tool.repository.js';

/** This service keeps the tools that the models of a tenant may call. */
@Injectable()
export class ToolsService {
  constructor(
    private readonly tools: ToolRepository,
    private readonly servers: ToolServersService,
    private readonly guard: AddressGuard,
  ) {}

  list(tenantId: string): Promise<ToolView[]> {
    return this.tools.list(tenantId);
  }

  /**
   * Sets a tool.
   * @throws AppError `VALIDATION_FAILED` where its address may not be connected to, its parameters are no schema that is taken, or stored headers
   * would go to another address: a secret that nobody can read must not be sent to wherever somebody likes.
   */
  async set(request: SetToolV1): Promise<ToolView> {
    const { tenantId, name, url } = request;
    checkFields(request);
    const address = await this.guard.problemWith(url);
    if (address) throw invalidField('url', `url ${address}`);
    const stored = await this.find(tenantId, name);
    if (request.headers === undefined && stored && stored.headerNames.length > 0 && stored.url !== url)
      throw invalidField('headers', 'headers must be given again, or {}, because url is another one');
    if (!(await this.tools.set(request)))
      throw invalidField(
        'name',
        `name must be that of a tool you have: ${TOOLS_MAX} tools are all you may have`,
      );
    return (await this.find(tenantId, name)) as ToolView;
  }

  delete(request: DeleteToolV1): Promise<void> {
    return this.tools.delete(request);
  }

  /** @throws AppError `VALIDATION_FAILED` where the tenant has not all tools of these names. */
  async assertAll(tenantId: string, names: string[]): Promise<void> {
    if (names.length === 0) return;
    const own = await this.tools.list(tenantId);
    const known = new Set([...own, ...(await this.servers.ofNames(tenantId, names))].map(({ name }) => name));
    const index = names.findIndex((name) => !known.has(name));
    if (index >= 0)
      throw invalidField(
        `settings.tools[${index}]`,
        `settings.tools[${index}] must be the name of a tool you have`,
      );
  }

  /** Finds tools of these names with their headers, those of MCP servers among them: a tool of the tenant goes before one of a server with its name. */
  async ofNames(tenantId: string, names: string[]): Promise<Tool[]> {
    const own = await this.tools.ofNames(tenantId, names);
    const left = names.filter((name) => !own.some((tool) => tool.name === name));
    return [...own, ...(await this.servers.ofNames(tenantId, left))];
  }

  private async find(tenantId: string, name: string): Promise<ToolView | undefined> {
    return (await this.tools.list(tenantId)).find((tool) => tool.name === name);
  }
}

function checkFields({ name, parameters, headers = {}, readOnly, needsApproval }: SetToolV1): void {
  if (name === HAND_OVER)
    throw invalidField('name', `name must not be ${HAND_OVER}: every model has that tool`);
  if (readOnly && needsApproval)
    throw invalidField('needsApproval', 'needsApproval must be false, or left out, where readOnly is true');
  const problem = problemWithParameters(parameters);
  if (problem) throw invalidField('parameters', `parameters ${problem}`);
  if (Object.keys(headers).some((header) => header.toLowerCase() === IDEMPOTENCY_KEY))
    throw invalidField('headers', `headers "${IDEMPOTENCY_KEY}" must not be given: it is set by the gateway`);
}
