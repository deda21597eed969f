import { boundedDetail, labelOf } from '../bounded.ts'
import { failedWith } from '../failed.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { RunContext, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { Pushed } from '../pushed.ts'
import type { Way } from './capabilities.ts'
import { eventsOf } from './frames.ts'
import type { Refused } from './refused.ts'
import { begin, call, runPath, type Server } from './server.ts'
import { Told } from './told.ts'
import type { Reply } from './wire.ts'

export type Ended = Extract<RuntimeEvent, { type: 'end' | 'failed' }>

const CHOICES: readonly string[] = ['once', 'session', 'always', 'deny']

/** What one message and its answer have in common, by whichever way they go. */
export class Turn {
  readonly server: Server
  readonly request: RuntimeRequest
  readonly context: RunContext
  readonly told: Told
  readonly events = new Pushed<RuntimeEvent>()
  /** Of the connection on which Hermes speaks. */
  readonly line = new AbortController()
  /** Settles when it is known what is to be stopped, or that there is nothing. */
  readonly named = Promise.withResolvers<void>()
  /** As it was asked last. */
  way: Way | null = null
  session: string | null = null
  /** When Hermes last said something. */
  heardAt = Date.now()
  /** Something may be at work at Hermes. */
  hasBegun = false
  /** Hermes took the message. */
  wasTaken = false
  isOver = false
  #asking: Promise<void> = Promise.resolve()

  constructor(server: Server, request: RuntimeRequest, context: RunContext) {
    this.server = server
    this.request = request
    this.context = context
    this.told = new Told(server.place)
  }

  /** An abort does not break it off: the name of what was begun is needed to stop it. */
  async start(path: string, body: Fields): Promise<Reply | Refused> {
    this.hasBegun = true
    const asked = { path, body, accept: 'text/event-stream, application/json', signal: this.line.signal }
    const reply = await begin(this.server, asked, {
      signal: this.context.signal,
      onWait: (ms) =>
        this.step('busy', 'running', `Hermes is busy: asked again in ${Math.ceil(ms / 1_000)} s`),
    })
    this.wasTaken = !('failed' in reply)
    if (!this.wasTaken) this.hasBegun = false
    return reply
  }

  async read(reply: Reply): Promise<Ended> {
    const events = eventsOf(reply, this.server.limits)
    for (;;) {
      const { done, value } = await events.next()
      if (done) {
        this.push(this.told.closed())
        if (this.told.ended !== null) return this.ended()
        return value ?? failedWith('died', 'Hermes broke off before it was at the end of its answer.')
      }
      this.heardAt = Date.now()
      this.push(this.told.take(value))
      if (this.told.runId !== null) this.named.resolve()
      if (this.told.approval !== null) this.approve(this.told.approval)
      if (this.told.ended !== null) {
        void events.return(null)
        return this.ended()
      }
    }
  }

  ended(): Ended {
    const { ended, sessionId } = this.told
    if (ended === null) return failedWith('died', 'Hermes broke off.')
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

  /** One after the other: Hermes takes an answer for that which it asked first. */
  approve(asked: Fields): void {
    this.#asking = this.#asking.then(() => this.#approved(asked))
  }

  async #approved({ choices, command, description, request_id, tool, tool_name }: Fields): Promise<void> {
    const run = this.told.runId
    const offered = Array.isArray(choices) ? CHOICES.filter((one) => choices.includes(one)) : []
    const { signal, ask } = this.context
    const choice = await ask({
      label: labelOf(textOf(command) || textOf(description), 'Hermes asks'),
      choices: offered.length === 0 ? ['once', 'deny'] : offered,
      detail: fieldsOf(boundedDetail({ tool: tool ?? tool_name ?? 'terminal', command, description })),
    }).catch(() => null)
    if (run === null || signal.aborted || this.isOver) return
    const body = { choice: choice ?? 'deny', ...(typeof request_id === 'string' ? { request_id } : {}) }
    await call(this.server, 'POST', `${runPath(run)}/approval`, { body, ms: this.server.limits.stopMs })
  }
}
