import type { ChatUsage } from '@panoptes/schema'
import { type Fields, toFieldList, toFields, toText } from '../fields.ts'
import { PlainText } from '../plain-text.ts'
import type { RuntimeEvent } from '../port.ts'
import type { RunFailure } from '../run-failure.ts'
import { createFailure } from '../run-failure.ts'
import type { HermesEvent } from './frames.ts'
import type { Place } from './http-client.ts'
import { toReportedFailure } from './refusal.ts'
import { HermesTools, subagentProgress } from './tools.ts'
import { parseUsage } from './usage.ts'

/** How a turn ended according to Hermes. */
export type TurnEnd =
  | {
      readonly type: 'end'
      readonly outcome: 'completed' | 'cancelled' | 'length'
      readonly usage?: ChatUsage
    }
  | RunFailure

/** The maximum number of characters of thoughts in one answer. */
const MOST_THOUGHTS = 400_000
/** An error text sent in place of an answer. */
const ERROR_WORDS =
  /^HTTP \d{3}\b|error|fail|invalid|exceeded|exhausted|⚠|❌|unauthor|refused|limit|timed? ?out/i

/**
 * Translates the events of Hermes into events of a run, for every way of asking. Unknown events are
 * ignored.
 */
export class EventTranslator {
  readonly #place: Place
  readonly #plain = new PlainText()
  readonly #thoughts = new PlainText()
  readonly #tools = new HermesTools()
  #text = ''
  /** Where the text after the last tool begins. */
  #from = 0
  #isParted = false
  #thinking = 0
  #isThinking = false
  #thought = 0
  #finish: string | null = null
  #usage: ChatUsage | undefined
  #problem: RunFailure | null = null
  /** A whole answer that was not streamed before. */
  #held = ''
  runId: string | null = null
  sessionId: string | null = null
  /** The open approval request. */
  approval: Fields | null = null
  ended: TurnEnd | null = null

  constructor(place: Place) {
    this.#place = place
  }

  *take({ name, data }: HermesEvent): Generator<RuntimeEvent> {
    this.approval = null
    if (this.ended !== null) return
    this.runId ??= toText(data.run_id) || null
    this.sessionId = toText(data.session_id) || this.sessionId
    switch (name) {
      case 'assistant.delta':
      case 'message.delta':
        return yield* this.#emitText(toText(data.delta))
      case 'reasoning.delta':
        return yield* this.#think(toText(data.delta) || toText(data.text))
      case 'reasoning.available':
        return yield* this.#addThought(toText(data.text))
      case 'tool.progress':
        if (data.tool_name === '_thinking') yield* this.#addThought(toText(data.delta))
        return
      case 'tool.started':
      case 'tool.completed':
      case 'tool.failed':
        return yield* this.#tool(name, data)
      case 'hermes.tool.progress':
        return yield* this.#toolById(data)
      case 'subagent.start':
        return yield* this.#emitSeparate(subagentProgress(data, 'started'))
      case 'subagent.complete':
        return yield* this.#emitSeparate(
          subagentProgress(data, data.status === 'failed' ? 'failed' : 'completed'),
        )
      case 'approval.request':
        this.approval = data
        return
      case 'assistant.completed':
        if (this.#text !== '') return yield* this.#addWhole(toText(data.content), data)
        this.#held = contentText(data.content)
        if (isCut(data)) this.#finish ??= 'length'
        return
      case 'run.completed':
      case 'done':
        return yield* this.#complete(data)
      case 'run.failed':
        return yield* this.#fail(data)
      case 'run.cancelled':
        return yield* this.#endTurn({ type: 'end', outcome: 'cancelled' }, 'skipped')
      case 'error':
        return yield* this.#fail(data)
      case '[DONE]':
        return yield* this.#done()
      case '':
        return yield* this.#chunk(data)
    }
  }

  /** Handles the state of a polled run. */
  *status(data: Fields): Generator<RuntimeEvent> {
    if (this.ended !== null) return
    switch (data.status) {
      case 'completed':
        return yield* this.#complete(data)
      case 'failed':
        return yield* this.#fail(data)
      case 'interrupted':
        return yield* this.#endTurn(
          createFailure('died', 'Hermes restarted in the middle of its answer.'),
          'skipped',
        )
      case 'cancelled':
        return yield* this.#endTurn({ type: 'end', outcome: 'cancelled' }, 'skipped')
    }
  }

  /** Handles the end of the stream. */
  *close(): Generator<RuntimeEvent> {
    if (this.ended === null && this.#finish !== null) yield* this.#done()
  }

  /** Ends what is still open if Hermes did not report its end. */
  *endOpen(): Generator<RuntimeEvent> {
    if (this.ended !== null) return
    yield* this.#think(null)
    yield* this.#tools.end('skipped')
  }

  *#emitText(piece: string): Generator<RuntimeEvent> {
    if (piece === '') return
    yield* this.#think(null)
    const plain = this.#plain.take(piece)
    // Hermes begins with empty lines after a tool, even without earlier text.
    const text = this.#text === '' ? plain.replace(/^\n+/, '') : plain
    if (text === '') return
    // Text after a tool becomes a paragraph of its own.
    const isApart =
      this.#isParted && this.#text !== '' && !this.#text.endsWith('\n') && !text.startsWith('\n')
    if (this.#isParted) this.#from = this.#text.length + (isApart ? 2 : 0)
    this.#isParted = false
    const delta = isApart ? `\n\n${text}` : text
    this.#text += delta
    yield { type: 'chunk', delta }
  }

  /** Handles the whole answer: yields what was not streamed yet. */
  *#addWhole(content: string, about: Fields = {}): Generator<RuntimeEvent> {
    if (isCut(about)) this.#finish ??= 'length'
    const text = new PlainText().take(content)
    if (text.trim() === '') return
    const last = this.#text.slice(this.#from).trimStart()
    if (!this.#isParted && text.startsWith(last)) return yield* this.#emitText(text.slice(last.length))
    if (this.#text.trim().endsWith(text.trim())) return
    this.#isParted = this.#text !== ''
    yield* this.#emitText(text)
  }

  /** Adds a piece to the current thought; null ends the thought. */
  *#think(piece: string | null): Generator<RuntimeEvent> {
    if (piece === '' || (piece === null && !this.#isThinking)) return
    if (!this.#isThinking) this.#thinking += 1
    this.#isThinking = piece !== null
    const about = {
      type: 'progress',
      node_id: `reasoning-${this.#thinking}`,
      kind: 'reasoning',
      label: 'Thinking',
    } as const
    if (piece === null) return yield { ...about, status: 'completed' }
    const delta = this.#thoughts.take(piece)
    this.#thought += delta.length
    if (delta !== '' && this.#thought <= MOST_THOUGHTS)
      yield { ...about, status: 'running', detail: { delta } }
  }

  /** Some servers send the beginning of the answer again as a thought. */
  *#addThought(text: string): Generator<RuntimeEvent> {
    const begin = text.trim().slice(0, 100)
    if (begin === '' || this.#text.includes(begin) || this.#isThinking) return
    yield* this.#think(text)
    yield* this.#think(null)
  }

  *#tool(name: string, data: Fields): Generator<RuntimeEvent> {
    const tool = toText(data.tool) || toText(data.tool_name)
    if (tool === '' || tool.startsWith('_')) return
    yield* this.#think(null)
    this.#isParted = true
    const id = toText(data.tool_call_id) || undefined
    if (name === 'tool.started') return yield* this.#tools.start(tool, toText(data.preview), data.args, id)
    // Some report that a tool failed, others why.
    const isBad = name === 'tool.failed' || Boolean(data.error)
    yield* this.#tools.finish(tool, isBad ? 'failed' : 'completed', {
      ...(id === undefined ? {} : { id }),
      output: data.result ?? (data.error === true ? undefined : data.error || undefined),
      seconds: data.duration,
    })
  }

  *#toolById(data: Fields): Generator<RuntimeEvent> {
    const id = toText(data.toolCallId)
    yield* this.#think(null)
    this.#isParted = true
    if (data.status === 'completed' || data.status === 'failed' || data.status === 'error')
      return yield* this.#tools.finish(
        toText(data.tool),
        data.status === 'completed' && !data.error ? 'completed' : 'failed',
        { id },
      )
    yield* this.#tools.start(toText(data.tool), toText(data.label), data.args, id)
  }

  *#emitSeparate(event: RuntimeEvent): Generator<RuntimeEvent> {
    yield* this.#think(null)
    this.#isParted = true
    yield event
  }

  *#complete(data: Fields): Generator<RuntimeEvent> {
    const isUnsaid = this.#text === '' || this.#isParted
    const output = toText(data.output) || this.#held || (isUnsaid ? findAnswer(data.messages) : '')
    const { output_tokens } = toFields(data.usage)
    this.#tools.addResults(data.messages)
    // Some report an error of their model as the answer.
    if (this.#text === '' && output_tokens === 0 && ERROR_WORDS.test(output))
      return yield* this.#endTurn(toReportedFailure(output, this.#place), 'skipped')
    yield* this.#addWhole(output, data)
    const usage = parseUsage(data.usage) ?? this.#usage
    const outcome = this.#finish === 'length' ? 'length' : 'completed'
    yield* this.#endTurn({ type: 'end', outcome, ...(usage ? { usage } : {}) }, 'completed')
  }

  *#fail(data: Fields): Generator<RuntimeEvent> {
    const error = toFields(data.error)
    const words = toText(data.error) || toText(error.message) || toText(data.message)
    yield* this.#addWhole(toText(data.output), {})
    yield* this.#endTurn(toReportedFailure(words, this.#place, error), 'skipped')
  }

  *#chunk(data: Fields): Generator<RuntimeEvent> {
    const [choice] = toFieldList(data.choices)
    const { content, reasoning_content, reasoning } = toFields(choice?.delta)
    yield* this.#think(toText(reasoning_content) || toText(reasoning))
    yield* this.#emitText(toText(content))
    this.#usage = parseUsage(data.usage) ?? this.#usage
    this.#finish = toText(choice?.finish_reason) || this.#finish
    const { message } = toFields(data.error)
    if (this.#finish === 'error' || typeof message === 'string')
      this.#problem = toReportedFailure(toText(message) || toText(toFields(data.hermes).error), this.#place)
  }

  /** An end event without text and without a reason is not an end. */
  *#done(): Generator<RuntimeEvent> {
    if (this.#problem !== null && this.#finish !== 'length')
      return yield* this.#endTurn(this.#problem, 'skipped')
    if (this.#finish === null && this.#text === '' && this.#held === '') return
    yield* this.#complete({})
  }

  *#endTurn(ended: TurnEnd, status: 'completed' | 'skipped'): Generator<RuntimeEvent> {
    yield* this.#think(null)
    yield* this.#tools.end(status)
    this.ended = ended
  }
}

const isCut = ({ partial, interrupted }: Fields): boolean => partial === true || interrupted === true

/** Returns the last answer in a transcript since the user's message. */
function findAnswer(messages: unknown): string {
  const all = toFieldList(messages)
  const since = all.slice(all.findLastIndex(({ role }) => role === 'user') + 1)
  const spoken = since.filter(({ role }) => role === 'assistant').map(({ content }) => contentText(content))
  return spoken.findLast((words) => words.trim() !== '') ?? ''
}

const contentText = (content: unknown): string =>
  toText(content) ||
  toFieldList(content)
    .map(({ text }) => toText(text))
    .join('')
