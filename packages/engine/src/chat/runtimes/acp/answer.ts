import { createHash } from 'node:crypto'
import type { ChatUsage } from '@panoptes/schema'
import { raceAbort } from '../abort-race.ts'
import { type Fields, toCount, toFields, toText } from '../fields.ts'
import { stripOwnMemory } from '../own-memory.ts'
import { toLabel, toSafeDetail } from '../plain-text.ts'
import type { RunContext, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { PushStream } from '../push-stream.ts'
import { classifyText, createFailure, type RunFailure } from '../run-failure.ts'
import type { AcpAgent, Answer } from './agent.ts'
import type { Advice } from './agent-process.ts'
import { toReportedFailure } from './errors.ts'
import { promptBlocks } from './prompt-blocks.ts'
import { permissionSubject } from './protocol.ts'
import type { OpenSession } from './session.ts'
import { listChoices, readChoices, toOutcome } from './tools.ts'
import { Updates } from './updates.ts'

export interface AnswerOptions {
  readonly title: string
  readonly advice?: Advice | undefined
  /** The maximum silence, not counting the time in which a person is asked. */
  readonly silentMs: number
  /** The beginning of an answer that may be a disguised error. */
  readonly doubtful?: RegExp | undefined
  /** The agent reports the total usage of all prompts of a session. */
  readonly sumsUsage?: boolean | undefined
}

/**
 * Three limits: how long a run waits for a stopped agent, how long the agent may take to stop, and
 * how long to end. Together they free everything within a fifth of a second.
 */
const STOP_MS = 80
const GRACE_MS = 30
const END_MS = 40

/** The result of a prompt; `lost` if the session no longer existed. */
export type PromptResult = Extract<RuntimeEvent, { type: 'end' | 'failed' }> | 'lost'

/**
 * One prompt from beginning to end. Afterwards the agent is either ready for another prompt or
 * gone.
 */
export class AcpAnswer {
  readonly #agent: AcpAgent
  readonly #session: OpenSession
  readonly #options: AnswerOptions
  readonly #context: RunContext
  readonly #events = new PushStream<RuntimeEvent>()
  readonly #updates: Updates
  #reply: Answer | null = null
  /** Resolves when the agent reports that the prompt is done. */
  readonly #done = Promise.withResolvers<Answer>()
  #isDone = false
  #asking = 0
  #silence: NodeJS.Timeout | undefined
  #isSilent = false

  constructor(agent: AcpAgent, session: OpenSession, options: AnswerOptions, context: RunContext) {
    this.#agent = agent
    this.#session = session
    this.#options = options
    this.#context = context
    this.#updates = new Updates({
      doubtful: options.doubtful,
      keepsCalls: agent.source === null,
      clears: agent.version === 2,
    })
  }

  async *events(original: RuntimeRequest): AsyncGenerator<RuntimeEvent, PromptResult> {
    const request = stripOwnMemory(original, this.#agent.source)
    const { signal } = this.#context
    const stop = () => this.#stop()
    signal.addEventListener('abort', stop, { once: true })
    try {
      this.#ask(request)
      if (signal.aborted) stop()
      // Nothing is read after a cancellation, so the session must be announced before. A resumed
      // session may turn out to be gone.
      let isAnnounced = !this.#session.remembers
      if (isAnnounced) yield this.#createSessionAttachment()
      for await (const event of this.#events.read()) {
        if (!isAnnounced) yield this.#createSessionAttachment()
        isAnnounced = true
        yield event
      }
      const ended = this.#toResult(request)
      // A call that was in progress when the agent died or was stopped did not succeed.
      const isWhole = ended !== 'lost' && ended.type === 'end' && ended.outcome !== 'cancelled'
      yield* this.#updates.end(isWhole ? 'completed' : 'skipped')
      const held = this.#updates.held
      if (held !== '' && ended !== 'lost' && ended.type === 'end') yield { type: 'chunk', delta: held }
      if (ended !== 'lost' && !isAnnounced) yield this.#createSessionAttachment()
      return ended
    } finally {
      signal.removeEventListener('abort', stop)
      clearTimeout(this.#silence)
      if (signal.aborted && !this.#isDone) this.#agent.stopping = this.#finishStop()
      else {
        this.#agent.listen(null)
        // An agent that did not answer, or answered with an error, may be in any state.
        if (!this.#isDone || !this.#reply?.ok) this.#agent.end()
      }
    }
  }

  /** Announces where the full session can be read. */
  #createSessionAttachment(): RuntimeEvent {
    const { source } = this.#agent
    return {
      type: 'attachment',
      attachment: {
        kind: 'session',
        title: `Session of ${this.#options.title}`,
        data: { ...(source === null ? {} : { source }), session_id: this.#session.id },
      },
    }
  }

  #ask(request: RuntimeRequest): void {
    const { id, remembers } = this.#session
    const promptContext = {
      baseline:
        remembers && request.continuity?.baseline === hashText(request.baseline) ? '' : request.baseline,
      since: remembers ? request.handover : request.history,
    }
    const { promptCapabilities } = this.#agent.capabilities
    const prompt = promptBlocks(request, promptContext, toFields(promptCapabilities))
    this.#agent.listen({
      session: id,
      update: (update) => this.#update(update),
      permission: (permissionRequest) => this.#permit(permissionRequest),
    })
    this.#restartTimer()
    // The prompt ends by itself or with the agent; an abort is sent as `session/cancel`.
    const never = new AbortController().signal
    const pendingReply = this.#agent.request('session/prompt', { sessionId: id, prompt }, { signal: never })
    void pendingReply.then(async (reply) => {
      // Updates sent before the reply are processed shortly after it.
      await new Promise(setImmediate)
      this.#reply = reply
      this.#settle()
      if (this.#isDone) return
      const failed = await this.#agent.whenLost()
      if (!this.#isDone) this.#reply = { ok: false, failed }
      this.#settle()
    })
  }

  /**
   * In version 1 the reply ends the prompt; in version 2 it only confirms that the prompt was
   * accepted.
   */
  #settle(): void {
    const reply = this.#reply
    if (reply === null || this.#isDone) return
    if (reply.ok && toText(reply.value.stopReason) === '' && this.#updates.stopReason === null) return
    this.#isDone = true
    this.#done.resolve(reply)
    this.#events.end()
  }

  #update(update: Fields): void {
    this.#restartTimer()
    for (const event of this.#updates.take(update)) this.#events.push(event)
    this.#settle()
  }

  async #permit(permissionRequest: Fields): Promise<Fields> {
    const { signal, ask } = this.#context
    const offered = readChoices(permissionRequest.options)
    const subject = permissionSubject(permissionRequest)
    const { title, kind, rawInput, content, toolCallId } = subject
    // In version 2 the call may be announced here for the first time.
    if (this.#agent.version === 2 && toFields(permissionRequest.subject).toolCall)
      this.#update({ ...subject, sessionUpdate: 'tool_call_update' })
    this.#asking += 1
    clearTimeout(this.#silence)
    // The call must be shown before the approval request, so that it is visible as waiting.
    await new Promise(setImmediate)
    const choice = await ask({
      label: toLabel(toText(title), `${this.#options.title} asks`),
      choices: listChoices(offered),
      detail: {
        name: toText(kind) || 'other',
        ...toFields(toSafeDetail({ input: rawInput, content })),
        names: Object.fromEntries([...offered].map(([one, { name }]) => [one, toLabel(name, one)])),
      },
      ...(typeof toolCallId === 'string' ? { parent_id: toolCallId.slice(0, 200) } : {}),
    }).catch(() => null)
    this.#asking -= 1
    this.#restartTimer()
    return toOutcome(offered, choice, signal.aborted)
  }

  #stop(): void {
    this.#agent.notify('session/cancel', { sessionId: this.#session.id })
    setTimeout(() => this.#events.end(), STOP_MS).unref()
  }

  async #finishStop(): Promise<void> {
    const reply = await raceAbort(this.#done.promise, new AbortController().signal, GRACE_MS)
    if (!reply?.ok) this.#agent.end(END_MS)
    this.#agent.listen(null)
    this.#agent.stopping = null
  }

  /** Restarts the silence timer. */
  #restartTimer(): void {
    clearTimeout(this.#silence)
    if (this.#asking > 0 || this.#context.signal.aborted) return
    this.#silence = setTimeout(() => {
      this.#isSilent = true
      this.#events.end()
    }, this.#options.silentMs)
    this.#silence.unref()
  }

  #toResult(request: RuntimeRequest): PromptResult {
    const { title, silentMs } = this.#options
    if (this.#context.signal.aborted) return { type: 'end', outcome: 'cancelled' }
    if (this.#isSilent)
      return createFailure('timed_out', `${title} sent nothing for ${Math.round(silentMs / 1_000)} s.`)
    if (this.#reply !== null && !this.#reply.ok) return this.#reply.failed
    if (this.#reply === null || !this.#isDone)
      return createFailure('died', `${title} stopped in the middle of its answer.`)
    const { stopReason, usage: rawUsage } = this.#reply.value
    const reason = toText(stopReason) || this.#updates.stopReason
    if (reason === 'refusal') return this.#toRefusal()
    if (reason === 'error') return toReportedFailure(this.#updates.problem, this.#options)
    if (this.#updates.held !== '' && rawUsage === undefined) return this.#toModelError(this.#updates.held)
    const usage = this.#usage(rawUsage)
    const outcome =
      reason === 'cancelled'
        ? 'cancelled'
        : reason === 'max_tokens' || reason === 'max_turn_requests'
          ? 'length'
          : 'completed'
    return {
      type: 'end',
      outcome,
      continuity: { session_id: this.#session.id, baseline: hashText(request.baseline) },
      ...(usage ? { usage } : {}),
    }
  }

  #toRefusal(): PromptResult {
    // An expired session may be refused without any output.
    if (this.#session.remembers && !this.#updates.hasText) return 'lost'
    return createFailure('refused', `${this.#options.title} refused to answer.`, false)
  }

  #toModelError(text: string): RunFailure {
    return createFailure(classifyText(text), `${this.#options.title} reported an error: ${text}`)
  }

  #usage(rawUsage: unknown) {
    const state = this.#agent.sessions.get(this.#session.id)
    const usage = parseUsage(rawUsage, this.#options.sumsUsage ? (state?.used ?? {}) : {})
    if (state && usage) state.used = toFields(rawUsage)
    return usage
  }
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

const COUNTS = [
  'inputTokens',
  'outputTokens',
  'cachedReadTokens',
  'cachedWriteTokens',
  'thoughtTokens',
  'totalTokens',
]

/**
 * Returns the usage of a prompt. For agents that report totals per session, the previous total is
 * subtracted.
 */
function parseUsage(rawUsage: unknown, before: Fields): ChatUsage | undefined {
  const now = toFields(rawUsage)
  const readCount = (name: string): number | undefined => {
    const count = toCount(now[name])
    return count === undefined ? undefined : Math.max(0, count - (toCount(before[name]) ?? 0))
  }
  const [input, output, read, written, thought, total] = COUNTS.map(readCount)
  if (input === undefined && output === undefined) return undefined
  const cached = (read ?? 0) + (written ?? 0)
  // Some agents include cached tokens in the input and others do not; the reported total shows
  // which.
  const isWithin = total !== undefined && cached > 0 && total < (input ?? 0) + (output ?? 0) + cached
  const counts = {
    input: input === undefined ? undefined : isWithin ? Math.max(0, input - cached) : input,
    output,
    cache_read: read,
    cache_write: written,
    reasoning: thought,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined))
}
