import type { Conversations, ConversationWindow } from '@panoptes/engine/store'
import type { ChatAttachment, ChatEvent, ChatStage, SessionRef, StoredChatMessage } from '@panoptes/schema'
import type { BuiltContext } from '../context/port.ts'
import { createPlanEvidence } from '../plan/evidence.ts'
import type { RuntimeAdapter, RuntimeProgress, RuntimeRequest } from '../runtimes/port.ts'
import { type Approvals, createApprovals } from './approvals.ts'
import { type LiveRun, serializeEvents } from './live-run.ts'
import { createFailure, hasCompleted, messageStatus, type RunEnd, toCost } from './run-outcome.ts'
import { streamUntilAborted } from './until-aborted.ts'

export interface RunOptions {
  readonly run: LiveRun
  readonly adapter: RuntimeAdapter
  readonly conversations: Conversations
  /** The conversation before this message. */
  readonly conversation: ConversationWindow
  readonly user: StoredChatMessage
  readonly answer: StoredChatMessage
  readonly request: Pick<RuntimeRequest, 'message' | 'files' | 'folder' | 'model' | 'owner' | 'isPrivate'>
  /** The context, which is being built since before the message was stored. */
  readonly context: Promise<BuiltContext>
  readonly approvalSeconds: number
  readonly stop: AbortController
  /** The revision of the conversation's state when the run began. */
  readonly stateRevision: number
}

/** The maximum number of characters of one answer. */
const MOST_CHARS = 4_000_000
/** The number of chunks that are sent individually; those of a longer answer are merged. */
const MOST_CHUNKS = 20_000
const JOINED_CHARS = 256
const MOST_PROGRESS = 20_000
const MOST_ATTACHMENTS = 1_000
const FLUSH_MS = 1_000

export interface RunningRun {
  readonly run: LiveRun
  readonly answer: Approvals['answer']
  /** Resolves when the whole run is stored. */
  readonly over: Promise<void>
}

/**
 * Runs from building the context to the last event. The user's message is already stored. Whatever
 * happens, the run ends with exactly one terminal event.
 */
export function startRun(options: RunOptions): RunningRun {
  const { run, stop, approvalSeconds } = options
  const approvals = createApprovals(run, { seconds: approvalSeconds, signal: stop.signal })
  return { run, answer: approvals.answer, over: new RunExecutor(options, approvals).execute() }
}

class RunExecutor {
  readonly #options: RunOptions
  readonly #approvals: Approvals
  readonly #attachments: ChatAttachment[] = []
  readonly #began = Date.now()
  #text = ''
  #chunks = 0
  #progress = 0
  /** Text that waits to be sent together with more. */
  #held = ''
  #model: string | null
  #stage: ChatStage = 'context'
  #flushing: Promise<unknown> = Promise.resolve()
  #isFlushing = false
  #isListening = false
  #isEnding = false
  /** Stores once what was sent. */
  #storeSent: () => void = () => undefined
  /** The number of stored events. */
  #storedCount = 0

  constructor(options: RunOptions, approvals: Approvals) {
    this.#options = options
    this.#approvals = approvals
    this.#model = options.answer.model
  }

  async execute(): Promise<void> {
    const clock = setInterval(() => {
      this.#flush()
      void this.#takeRemoteCommands()
    }, FLUSH_MS)
    try {
      await this.#end(await this.#runAdapter())
    } catch (error) {
      await this.#end(
        this.#options.stop.signal.aborted
          ? { type: 'end', outcome: 'cancelled' }
          : createFailure('internal', error instanceof Error ? error.message : 'The answer was cut off.'),
      )
    } finally {
      clearInterval(clock)
    }
  }

  async #runAdapter(): Promise<RunEnd> {
    const { run, stop, adapter } = this.#options
    const context = await this.#buildContext()
    if (stop.signal.aborted) return { type: 'end', outcome: 'cancelled' }
    this.#stage = 'dispatch'
    const request = this.#buildRequest(context)
    const events = adapter.run(request, { signal: stop.signal, ask: this.#approvals.ask })
    const evidence = createPlanEvidence(context.plan)
    for await (const event of streamUntilAborted(events, stop.signal)) {
      const steps = stop.signal.aborted ? [] : evidence.take(event)
      if (event.type === 'end') for (const step of steps) this.#putProgress(step)
      if (event.type === 'end' || event.type === 'failed')
        return stop.signal.aborted ? { ...event, type: 'end', outcome: 'cancelled' } : event
      if (event.type === 'chunk') {
        this.#stage = 'answer'
        if (event.delta === '') continue
        if (this.#text.length + event.delta.length > MOST_CHARS) return { type: 'end', outcome: 'length' }
        this.#appendText(event.delta)
      } else if (event.type === 'model') {
        this.#model = event.model
        run.took = { ...run.took, model: event.model }
      } else if (event.type === 'attachment') {
        run.sessions = [...run.sessions, ...toSessionRefs(event.attachment)]
        if (this.#attachments.length < MOST_ATTACHMENTS)
          this.#attachments.push({ ...event.attachment, runtime: adapter.id } as ChatAttachment)
      } else for (const progress of [event, ...steps]) this.#putProgress(progress)
    }
    return stop.signal.aborted
      ? { type: 'end', outcome: 'cancelled' }
      : createFailure('died', `${adapter.title} stopped without finishing its answer.`)
  }

  #putProgress({ type: _type, ...progress }: RuntimeProgress): void {
    if (this.#progress >= MOST_PROGRESS) return
    this.#progress += 1
    this.#flushText()
    this.#options.run.put('progress', progress as Parameters<LiveRun['put']>[1])
  }

  #appendText(delta: string): void {
    this.#text += delta
    this.#held += delta
    if (this.#chunks < MOST_CHUNKS || this.#held.length >= JOINED_CHARS) this.#flushText()
  }

  #flushText(): void {
    if (this.#held === '') return
    this.#options.run.put('chunk', { index: this.#chunks, delta: this.#held })
    this.#chunks += 1
    this.#held = ''
  }

  async #buildContext(): Promise<BuiltContext> {
    const { run, conversations, conversation, user } = this.#options
    const built = await this.#options.context
    const { sent: context, skills, plan, epoch, preamble } = built
    run.put('progress', {
      node_id: 'context',
      kind: 'context',
      status: 'completed',
      label: 'Context',
      detail: {
        sections: context.sections.map(({ text: _text, ...section }) => section),
        skills: skills.skills.map(({ name, score, reasons }) => ({ name, score, reasons })),
        left_out: skills.left_out,
        budget_tokens: context.budget_tokens,
        template: context.template,
      },
      elapsed_ms: Date.now() - this.#began,
    })
    run.put('progress', { node_id: 'plan', kind: 'plan', status: 'completed', label: 'Plan', detail: plan })
    // The runtime is asked first and nothing waits for this write. Later writes are queued behind
    // it.
    this.#storeSent = () => {
      this.#storeSent = () => undefined
      void conversations.setSent(user.id, { context, text: preamble })
      if (epoch !== null) void conversations.setEpoch(conversation.id, epoch)
    }
    setImmediate(() => this.#storeSent())
    return built
  }

  #buildRequest(context: BuiltContext): RuntimeRequest {
    const { run, adapter, conversation, user, answer, request } = this.#options
    const continuity = conversation.agent_state.runtimes[adapter.id] ?? null
    const synced = continuity?.synced_message_id
    const at = synced === undefined ? -1 : conversation.messages.findIndex(({ id }) => id === synced)
    const seen = new Set(conversation.messages.slice(0, at + 1).map(({ id }) => id))
    return {
      ...request,
      conversation_id: run.identity.conversation_id,
      run_id: run.identity.run_id,
      message_id: answer.id,
      user_message_id: user.id,
      baseline: context.baseline,
      preamble: context.preamble,
      history: context.history,
      handover: context.history.filter(({ id }) => !seen.has(id)),
      skills: context.skills,
      plan: context.plan,
      continuity,
    }
  }

  #flush(): void {
    const { conversations, run } = this.#options
    const upTo = run.events.length
    if (this.#isFlushing || this.#isEnding || upTo === this.#storedCount) return
    this.#isFlushing = true
    const { conversation_id, run_id } = run.identity
    const progress = {
      conversation: conversation_id,
      run_id,
      answer: this.#buildMessage('partial', {}),
      events: serializeEvents(run.events.slice(this.#storedCount, upTo)),
    }
    this.#flushing = conversations.progress(progress).then(({ ok }) => {
      if (ok) this.#storedCount = upTo
      this.#isFlushing = false
    })
  }

  /** Carries out the commands of other processes, which wait to see the result stored. */
  async #takeRemoteCommands(): Promise<void> {
    if (this.#isListening) return
    this.#isListening = true
    const { conversations, run, stop } = this.#options
    const commands = await conversations.takeRemoteCommands(run.identity.run_id)
    this.#isListening = false
    if (!commands.ok || commands.value.length === 0) return
    for (const command of commands.value) {
      if (command.wants === 'stop') stop.abort()
      else this.#approvals.answer(command.request, command.choice)
    }
    this.#flush()
  }

  /** Everything is stored before the end is announced, so that the next request finds it. */
  async #end(ended: RunEnd): Promise<void> {
    this.#flushText()
    this.#storeSent()
    this.#isEnding = true
    await this.#flushing
    const { run, answer, adapter, conversation, conversations } = this.#options
    const { usage = null, cost_micro_usd = null } = ended
    run.took = { model: this.#model, usage, cost_micro_usd }
    const { conversation_id, run_id } = run.identity
    const rev = conversation.agent_state.runtimes[adapter.id]?.rev ?? 0
    const continuity = hasCompleted(ended) ? { ...ended.continuity, rev, synced_message_id: answer.id } : null
    const about = { conversation: conversation_id, run_id }
    const terminal = this.#createTerminalEvent(ended)
    const stored = await conversations.end({
      ...about,
      answer: this.#buildMessage(messageStatus(ended, this.#text), ended),
      events: this.#serializeUnstored(terminal),
      ...(continuity && { compartment: { runtime: adapter.id, was: rev, value: continuity } }),
    })
    if (stored.ok) return run.append(terminal)
    this.#stage = 'store'
    const lost = createFailure('internal', stored.message)
    const error = this.#createTerminalEvent(lost)
    await conversations.end({
      ...about,
      answer: this.#buildMessage('failed', lost),
      events: this.#serializeUnstored(error),
    })
    run.append(error)
  }

  #serializeUnstored(last: ChatEvent): string {
    return serializeEvents([...this.#options.run.events.slice(this.#storedCount), last])
  }

  #createTerminalEvent(ended: RunEnd): ChatEvent {
    const { run, answer, stateRevision } = this.#options
    if (ended.type === 'failed')
      return run.createEvent('error', {
        code: ended.code,
        message: ended.message,
        retryable: ended.retryable,
        stage: this.#stage,
        ...(this.#text === '' ? {} : { partial_message_id: answer.id }),
      })
    const { outcome, usage, cost_micro_usd: cost } = ended
    return run.createEvent('done', {
      message_id: answer.id,
      outcome,
      ...(usage && { usage }),
      ...(cost !== undefined && { cost: toCost(cost) }),
      duration_ms: Date.now() - this.#began,
      attachments: this.#attachments,
      state_revision: stateRevision + (hasCompleted(ended) ? 1 : 0),
    })
  }

  #buildMessage(status: StoredChatMessage['status'], ended: Partial<RunEnd>): StoredChatMessage {
    const { answer } = this.#options
    return {
      ...answer,
      content: this.#text,
      status,
      model: this.#model,
      attachments: this.#attachments,
      ended_at: Date.now(),
      usage: ended.usage ?? null,
      cost_micro_usd: ended.cost_micro_usd ?? null,
      error:
        ended.type === 'failed' ? { code: ended.code ?? 'internal', message: ended.message ?? '' } : null,
    }
  }
}

/** Returns the runtime's own session if Panoptes reads sessions of its kind. */
function toSessionRefs({ kind, data }: Omit<ChatAttachment, 'runtime'>): readonly SessionRef[] {
  const { source, session_id: id } = (kind === 'session' ? data : {}) as Readonly<Record<string, unknown>>
  return typeof source === 'string' && typeof id === 'string' ? [{ source, id }] : []
}
