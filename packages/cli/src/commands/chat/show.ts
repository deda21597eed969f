import { setTimeout as wait } from 'node:timers/promises'
import type { ChatEvent, DoneEvent, ErrorEvent, ProgressEvent } from '@panoptes/schema'
import { formatSafeJson } from '@panoptes/schema/shown'
import type { Context } from '../../context.ts'
import { connect, stopped } from '../../daemon/client.ts'
import { onSignals } from '../../daemon/signals.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { duration, plural } from '../../terminal/format.ts'
import type { TypedLines } from '../../terminal/line-reader.ts'
import { plain } from '../sessions/format.ts'
import { askForChoice, parseQuestion } from './approval.ts'
import { type ConversationClient, createConversationClient } from './conversation-client.ts'

/** How an answer ended. */
export type AnswerEnd =
  | { readonly how: 'done'; readonly done: DoneEvent }
  | { readonly how: 'failed'; readonly error: ErrorEvent }

/**
 * Streams an answer: its exact text to stdout, everything else to stderr. Ctrl-C stops the run, a second one quits.
 * If the terminal closes, the command ends but the run continues.
 */
export async function show(
  context: Context,
  talk: ConversationClient,
  conversation: string,
  begun: AsyncIterable<ChatEvent>,
  lines: TypedLines | null = null,
): Promise<AnswerEnd> {
  const shown = new Shown(context)
  const answered = new AbortController()
  const cancel = () => {
    shown.aside('Stopping. The answer so far is saved. Press Ctrl-C again to quit.')
    void talk.cancel(conversation).catch(() => undefined)
  }
  const done = onSignals(cancel, () => process.exit(EXIT.interrupted), ['SIGINT'])
  const openQuestions = new Map<string, AbortController>()
  try {
    for await (const event of wholeAnswer(context, conversation, begun)) {
      shown.take(event)
      if (event.event === 'done') return { how: 'done', done: event.data }
      if (event.event === 'error') return { how: 'failed', error: event.data }
      if (event.event !== 'progress') continue
      const question = parseQuestion(event.data)
      if (question) {
        shown.close()
        const over = new AbortController()
        openQuestions.set(question.request, over)
        const signal = AbortSignal.any([over.signal, answered.signal])
        void askForChoice(context, question, signal, lines).then((choice) => {
          if (choice === null) cancel()
          else if (choice !== undefined)
            void talk.approve(conversation, question.request, choice).catch(({ message }: Error) => {
              context.output.note(message)
            })
        })
      } else if (event.data.kind === 'approval') openQuestions.get(event.data.request_id ?? '')?.abort()
    }
    throw stopped()
  } finally {
    answered.abort()
    done()
    shown.end()
  }
}

/** Tracks what is on the screen. */
class Shown {
  readonly #context: Context
  /** Whether the last line of the answer still lacks its line break. */
  #isOpen = false

  constructor(context: Context) {
    this.#context = context
  }

  take(event: ChatEvent): void {
    const { output } = this.#context
    if (output.json) {
      process.stdout.write(`${formatSafeJson(event)}\n`)
      return
    }
    if (event.event === 'chunk') {
      output.piece(event.data.delta)
      this.#isOpen = !event.data.delta.endsWith('\n')
    } else if (event.event === 'metadata')
      this.aside([event.data.runtime, event.data.model].filter(Boolean).join(' · '))
    else if (event.event === 'progress') {
      const line = progressLine(event.data)
      if (line !== null) this.aside(line)
    }
  }

  aside(line: string): void {
    if (this.#context.output.interactive) this.close()
    this.#context.output.aside(line)
  }

  /** On a terminal, starts a new line before other output. A pipe gets the unchanged answer. */
  close(): void {
    if (process.stdout.isTTY === true) this.end()
  }

  /** Ends the last line with a line break. */
  end(): void {
    if (this.#isOpen) this.#context.output.piece('\n')
    this.#isOpen = false
  }
}

const NEXT: Readonly<Partial<Record<ErrorEvent['code'], string>>> = {
  not_configured:
    'Choose another with --model or --runtime, or set one in config.yaml. To see which runtimes can answer, run: panoptes doctor',
  not_installed: 'Install it, or choose another with --runtime.',
  unreachable: 'Check that it is running, or choose another with --runtime.',
  unauthorized: 'Check its API key, or sign in to it.',
  rate_limited: 'Wait a moment, then try again.',
  too_long: 'Start a new conversation, or shorten the message.',
  interrupted: 'Send the message again.',
}

/** Turns a failed answer into a command failure. */
export function toCommandFailure({
  code,
  message,
  retryable,
  partial_message_id,
}: ErrorEvent): CommandFailure {
  const partialNote = partial_message_id === undefined ? '' : ' The answer so far is saved.'
  const next = NEXT[code] ?? (retryable ? 'Try again.' : undefined)
  return new CommandFailure(`${message}${partialNote}`, { code, next })
}

const TRIES = 60
const PAUSE_MS = 250

/**
 * Yields the events of one answer. The daemon owns the run, so after a broken connection the client requests
 * everything after the last event, even if the daemon restarted meanwhile.
 */
async function* wholeAnswer(
  { paths }: Context,
  conversation: string,
  begun: AsyncIterable<ChatEvent>,
): AsyncGenerator<ChatEvent, undefined> {
  let last: string | null = null
  let events: AsyncIterable<ChatEvent> | null = begun
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      for await (const event of events ?? []) {
        tries = 0
        last = `${event.data.run_id}:${event.data.seq}`
        yield event
        if (event.event === 'done' || event.event === 'error') return
      }
    } catch (error) {
      if (error instanceof CommandFailure && error.code === 'not_found') throw error
    }
    await wait(PAUSE_MS)
    events = await followAgain(await reconnect(paths), conversation, last)
  }
  throw new CommandFailure('The connection to Panoptes broke during the answer', {
    code: 'unreachable',
    next: `The answer so far is saved. Start Panoptes with panoptes up, then: panoptes chat --resume ${conversation}`,
  })
}

const reconnect = async (paths: Context['paths']): Promise<ConversationClient | null> => {
  const client = await connect(paths).catch(() => undefined)
  return client ? createConversationClient(client) : null
}

const followAgain = (
  talk: ConversationClient | null,
  conversation: string,
  last: string | null,
): Promise<AsyncIterable<ChatEvent> | null> =>
  talk === null ? Promise.resolve(null) : talk.follow(conversation, last).catch(() => null)

const LONGEST = 160

/** Describes a step in one line, or returns nothing if it adds no information. */
export function progressLine({ kind, status, label, detail, elapsed_ms }: ProgressEvent): string | null {
  const name = plain(label, LONGEST)
  const isOver = status === 'completed' || status === 'failed' || status === 'skipped'
  if (kind === 'context') return contextLine(detail)
  if (kind === 'plan') return planLine(detail)
  if (kind === 'reasoning') return status === 'started' ? 'Thinking …' : null
  if (kind === 'usage' || kind === 'approval') return null
  if (status === 'failed') return `✗ ${name}`
  if (status === 'started') return `· ${name}`
  return isOver && elapsed_ms !== undefined && elapsed_ms >= SLOW_MS
    ? `✓ ${name} (${duration(elapsed_ms)})`
    : null
}

/** Steps that finish sooner get no second line. */
const SLOW_MS = 1_000

interface ContextDetail {
  readonly sections?: readonly { readonly title: string; readonly status: string; readonly tokens: number }[]
  readonly skills?: readonly unknown[]
}

function contextLine(detail: unknown): string | null {
  const { sections = [], skills = [] } = (detail ?? {}) as ContextDetail
  const there = sections.filter(({ status, tokens }) => status === 'ok' && tokens > 0)
  const missing = sections.filter(({ status }) => status === 'unavailable')
  if (there.length === 0 && skills.length === 0 && missing.length === 0) return null
  const parts = [
    ...there.map(({ title }) => plain(title, 40)),
    ...(skills.length > 0 && !there.some(({ title }) => title === 'Skills')
      ? [plural(skills.length, 'skill')]
      : []),
    ...(missing.length > 0 ? [`without ${missing.map(({ title }) => plain(title, 40)).join(', ')}`] : []),
  ]
  return `Context: ${parts.join(', ')}`
}

interface PlanDetail {
  readonly decision?: string
  readonly nodes?: readonly unknown[]
}

function planLine(detail: unknown): string | null {
  const { decision, nodes = [] } = (detail ?? {}) as PlanDetail
  if (nodes.length < 2) return null
  return `Plan: ${plural(nodes.length, 'step')}, ${decision === 'parallel' ? 'in parallel' : 'in sequence'}`
}
