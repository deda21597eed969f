import { type Fields, toFields, toText } from '../fields.ts'
import { toLabel, toSafeDetail } from '../plain-text.ts'
import type { RunContext, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { PushStream } from '../push-stream.ts'
import { createFailure } from '../run-failure.ts'
import type { Transport } from './capabilities.ts'
import { readEvents } from './frames.ts'
import type { Reply } from './http-client.ts'
import type { Refusal } from './refusal.ts'
import { beginWork, call, runPath, type Server } from './server.ts'
import { EventTranslator } from './turn-events.ts'

export type TurnResult = Extract<RuntimeEvent, { type: 'end' | 'failed' }>

const CHOICES: readonly string[] = ['once', 'session', 'always', 'deny']

/** The state of one message and its answer, for every way of asking. */
export class Turn {
  readonly server: Server
  readonly request: RuntimeRequest
  readonly context: RunContext
  readonly translator: EventTranslator
  readonly events = new PushStream<RuntimeEvent>()
  /** Aborts the connection to Hermes. */
  readonly line = new AbortController()
  /** Resolves when the id of the work to stop is known, or when there is none. */
  readonly named = Promise.withResolvers<void>()
  /** The way used last. */
  way: Transport | null = null
  session: string | null = null
  /** When Hermes last sent something. */
  heardAt = Date.now()
  /** True from the moment at which Hermes may be working. */
  hasBegun = false
  /** True once Hermes accepted the message. */
  wasTaken = false
  isOver = false
  #asking: Promise<void> = Promise.resolve()

  constructor(server: Server, request: RuntimeRequest, context: RunContext) {
    this.server = server
    this.request = request
    this.context = context
    this.translator = new EventTranslator(server.place)
  }

  /** An abort does not interrupt this request, because the id of the work is needed to stop it. */
  async start(path: string, body: Fields): Promise<Reply | Refusal> {
    this.hasBegun = true
    const hermesRequest = {
      path,
      body,
      accept: 'text/event-stream, application/json',
      signal: this.line.signal,
    }
    const reply = await beginWork(this.server, hermesRequest, {
      signal: this.context.signal,
      onWait: (ms) => this.step('busy', 'running', `Hermes is busy, retrying in ${Math.ceil(ms / 1_000)} s`),
    })
    this.wasTaken = !('failed' in reply)
    if (!this.wasTaken) this.hasBegun = false
    return reply
  }

  async read(reply: Reply): Promise<TurnResult> {
    const events = readEvents(reply, this.server.limits)
    for (;;) {
      const { done, value } = await events.next()
      if (done) {
        this.push(this.translator.close())
        if (this.translator.ended !== null) return this.getResult()
        return value ?? createFailure('died', 'Hermes stopped before its answer was complete.')
      }
      this.heardAt = Date.now()
      this.push(this.translator.take(value))
      if (this.translator.runId !== null) this.named.resolve()
      if (this.translator.approval !== null) this.approve(this.translator.approval)
      if (this.translator.ended !== null) {
        void events.return(null)
        return this.getResult()
      }
    }
  }

  getResult(): TurnResult {
    const { ended, sessionId } = this.translator
    if (ended === null) return createFailure('died', 'Hermes stopped unexpectedly.')
    if (ended.type === 'failed' || ended.outcome === 'cancelled') return ended
    const session = sessionId ?? this.session
    return { ...ended, continuity: session === null ? {} : { session_id: session } }
  }

  push(events: Iterable<RuntimeEvent>): void {
    for (const event of events) this.events.push(event)
  }

  step(node: string, status: 'started' | 'running' | 'completed' | 'failed', label: string): void {
    this.events.push({ type: 'progress', node_id: node, kind: 'step', status, label })
  }

  /** Requests one approval at a time, because Hermes applies an answer to its oldest request. */
  approve(approval: Fields): void {
    this.#asking = this.#asking.then(() => this.#requestApproval(approval))
  }

  async #requestApproval({
    choices,
    command,
    description,
    request_id,
    tool,
    tool_name,
  }: Fields): Promise<void> {
    const run = this.translator.runId
    const offered = Array.isArray(choices) ? CHOICES.filter((one) => choices.includes(one)) : []
    const { signal, ask } = this.context
    const choice = await ask({
      label: toLabel(toText(command) || toText(description), 'Hermes asks'),
      choices: offered.length === 0 ? ['once', 'deny'] : offered,
      detail: toFields(toSafeDetail({ tool: tool ?? tool_name ?? 'terminal', command, description })),
    }).catch(() => null)
    if (run === null || signal.aborted || this.isOver) return
    const body = { choice: choice ?? 'deny', ...(typeof request_id === 'string' ? { request_id } : {}) }
    await call(this.server, 'POST', `${runPath(run)}/approval`, { body, ms: this.server.limits.stopMs })
  }
}
