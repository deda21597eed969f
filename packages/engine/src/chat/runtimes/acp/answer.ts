import { createHash } from 'node:crypto'
import { boundedDetail, labelOf } from '../bounded.ts'
import { codeInWords, type Failed, failedWith } from '../failed.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { withoutOwnMemory } from '../own-memory.ts'
import type { RunContext, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { Pushed } from '../pushed.ts'
import { unlessStopped } from '../stopped.ts'
import type { AcpAgent, Answer } from './agent.ts'
import type { Advice } from './agent-process.ts'
import { toldFailure } from './errors.ts'
import { choicesOf, offeredBy, outcomeOf } from './permission.ts'
import { promptBlocks } from './prompt-blocks.ts'
import { subjectOf } from './protocol.ts'
import type { OpenSession } from './session.ts'
import { Updates } from './updates.ts'
import { usageOf } from './usage.ts'

export interface AnswerOptions {
  readonly title: string
  readonly advice?: Advice | undefined
  /** How long it may say nothing at all, but for the time in which a person is asked. */
  readonly silentMs: number
  /** What an answer begins with that may be an error in the guise of one. */
  readonly doubtful?: RegExp | undefined
  /** It tells what all prompts of a session used together. */
  readonly sumsUsage?: boolean | undefined
}

/**
 * How long a run waits for an agent that was told to stop, how long that one may take, and how long it may take to end: all of it
 * is free again in a fifth of a second.
 */
const STOP_MS = 80
const GRACE_MS = 30
const END_MS = 40

/** What became of a prompt; `lost` where the session was not there after all. */
export type Prompted = Extract<RuntimeEvent, { type: 'end' | 'failed' }> | 'lost'

/** One prompt, from its beginning to its end. The agent is fit for another one, or it is gone. */
export class AcpAnswer {
  readonly #agent: AcpAgent
  readonly #session: OpenSession
  readonly #options: AnswerOptions
  readonly #context: RunContext
  readonly #events = new Pushed<RuntimeEvent>()
  readonly #updates: Updates
  #reply: Answer | null = null
  /** Settles when the agent is done with the prompt, as it says itself. */
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

  async *events(asked: RuntimeRequest): AsyncGenerator<RuntimeEvent, Prompted> {
    const request = withoutOwnMemory(asked, this.#agent.source)
    const { signal } = this.#context
    const stop = () => this.#stop()
    signal.addEventListener('abort', stop, { once: true })
    try {
      this.#ask(request)
      if (signal.aborted) stop()
      for await (const event of this.#events.read()) yield event
      yield* this.#updates.end(signal.aborted ? 'skipped' : 'completed')
      const ended = this.#ended(request)
      const held = this.#updates.held
      if (held !== '' && ended !== 'lost' && ended.type === 'end') yield { type: 'chunk', delta: held }
      if (ended !== 'lost') yield this.#whose()
      return ended
    } finally {
      signal.removeEventListener('abort', stop)
      clearTimeout(this.#silence)
      if (signal.aborted && !this.#isDone) this.#agent.stopping = this.#stopping()
      else {
        this.#agent.listen(null)
        // Whoever did not answer, or with an error, may be in any state.
        if (!this.#isDone || !this.#reply?.ok) this.#agent.end()
      }
    }
  }

  /** Where all of it is to be found. */
  #whose(): RuntimeEvent {
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
    const told = {
      baseline:
        remembers && request.continuity?.baseline === hashOf(request.baseline) ? '' : request.baseline,
      since: remembers ? request.handover : request.history,
    }
    const { promptCapabilities } = this.#agent.capabilities
    const prompt = promptBlocks(request, told, fieldsOf(promptCapabilities))
    this.#agent.listen({
      session: id,
      update: (update) => this.#update(update),
      permission: (asked) => this.#permit(asked),
    })
    this.#listen()
    // It ends by itself, or with the agent: an abort is told by `session/cancel`.
    const never = new AbortController().signal
    const asked = this.#agent.request('session/prompt', { sessionId: id, prompt }, { signal: never })
    void asked.then(async (reply) => {
      // What was told before the reply is dealt with a moment later than the reply.
      await new Promise(setImmediate)
      this.#reply = reply
      this.#settle()
      if (this.#isDone) return
      const failed = await this.#agent.lost()
      if (!this.#isDone) this.#reply = { ok: false, failed }
      this.#settle()
    })
  }

  /** In the first version the reply is the end; in the second it says only that the prompt was taken. */
  #settle(): void {
    const reply = this.#reply
    if (reply === null || this.#isDone) return
    if (reply.ok && textOf(reply.value.stopReason) === '' && this.#updates.stopReason === null) return
    this.#isDone = true
    this.#done.resolve(reply)
    this.#events.end()
  }

  #update(update: Fields): void {
    this.#listen()
    for (const event of this.#updates.take(update)) this.#events.push(event)
    this.#settle()
  }

  async #permit(asked: Fields): Promise<Fields> {
    const { signal, ask } = this.#context
    const offered = offeredBy(asked.options)
    const subject = subjectOf(asked)
    const { title, kind, rawInput, content, toolCallId } = subject
    // In the second version it may be told here for the first time.
    if (this.#agent.version === 2 && fieldsOf(asked.subject).toolCall)
      this.#update({ ...subject, sessionUpdate: 'tool_call_update' })
    this.#asking += 1
    clearTimeout(this.#silence)
    // The call that it asks for was told before, and is seen before: whoever looks then sees that it waits.
    await new Promise(setImmediate)
    const choice = await ask({
      label: labelOf(textOf(title), `${this.#options.title} asks`),
      choices: choicesOf(offered),
      detail: {
        name: textOf(kind) || 'other',
        ...fieldsOf(boundedDetail({ input: rawInput, content })),
        names: Object.fromEntries([...offered].map(([one, { name }]) => [one, labelOf(name, one)])),
      },
      ...(typeof toolCallId === 'string' ? { parent_id: toolCallId.slice(0, 200) } : {}),
    }).catch(() => null)
    this.#asking -= 1
    this.#listen()
    return outcomeOf(offered, choice, signal.aborted)
  }

  #stop(): void {
    this.#agent.notify('session/cancel', { sessionId: this.#session.id })
    setTimeout(() => this.#events.end(), STOP_MS).unref()
  }

  async #stopping(): Promise<void> {
    const reply = await unlessStopped(this.#done.promise, new AbortController().signal, GRACE_MS)
    if (!reply?.ok) this.#agent.end(END_MS)
    this.#agent.listen(null)
    this.#agent.stopping = null
  }

  /** Somebody spoke: it is waited for anew. */
  #listen(): void {
    clearTimeout(this.#silence)
    if (this.#asking > 0 || this.#context.signal.aborted) return
    this.#silence = setTimeout(() => {
      this.#isSilent = true
      this.#events.end()
    }, this.#options.silentMs)
    this.#silence.unref()
  }

  #ended(request: RuntimeRequest): Prompted {
    const { title, silentMs } = this.#options
    if (this.#context.signal.aborted) return { type: 'end', outcome: 'cancelled' }
    if (this.#isSilent)
      return failedWith('timed_out', `${title} has said nothing for ${Math.round(silentMs / 1_000)} s.`)
    if (this.#reply !== null && !this.#reply.ok) return this.#reply.failed
    if (this.#reply === null || !this.#isDone) return failedWith('died', `${title} broke off.`)
    const { stopReason, usage: told } = this.#reply.value
    const reason = textOf(stopReason) || this.#updates.stopReason
    if (reason === 'refusal') return this.#refused()
    if (reason === 'error') return toldFailure(this.#updates.problem, this.#options)
    if (this.#updates.held !== '' && told === undefined) return this.#isError(this.#updates.held)
    const usage = this.#usage(told)
    const outcome =
      reason === 'cancelled'
        ? 'cancelled'
        : reason === 'max_tokens' || reason === 'max_turn_requests'
          ? 'length'
          : 'completed'
    return {
      type: 'end',
      outcome,
      continuity: { session_id: this.#session.id, baseline: hashOf(request.baseline) },
      ...(usage ? { usage } : {}),
    }
  }

  #refused(): Prompted {
    // A session that is not there any more is refused without a word.
    if (this.#session.remembers && !this.#updates.hasSaid) return 'lost'
    return failedWith('refused', `${this.#options.title} refused to answer.`, false)
  }

  #isError(text: string): Failed {
    return failedWith(codeInWords(text), `${this.#options.title} gave an error: ${text}`)
  }

  #usage(told: unknown) {
    const state = this.#agent.sessions.get(this.#session.id)
    const usage = usageOf(told, this.#options.sumsUsage ? (state?.used ?? {}) : {})
    if (state && usage) state.used = fieldsOf(told)
    return usage
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
