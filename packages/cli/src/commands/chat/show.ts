import type { ChatEvent, DoneEvent, ErrorEvent } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { onSignals } from '../../daemon/signals.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import type { TypedLines } from '../../terminal/typed-lines.ts'
import { wholeAnswer } from './answer.ts'
import { approved, questionIn } from './approve.ts'
import { progressLine } from './progress-lines.ts'
import type { Talk } from './talk.ts'

/** How an answer ended. */
export type Ended =
  | { readonly how: 'done'; readonly done: DoneEvent }
  | { readonly how: 'failed'; readonly error: ErrorEvent }

/**
 * Shows an answer as it comes: its words on stdout exactly and the end of their last line, all else beside it. Ctrl-C stops the run, a second one leaves.
 * Whoever reads it leaves with the terminal; the run goes on.
 */
export async function show(
  context: Context,
  talk: Talk,
  conversation: string,
  begun: AsyncIterable<ChatEvent>,
  lines: TypedLines | null = null,
): Promise<Ended> {
  const shown = new Shown(context)
  const answered = new AbortController()
  const cancel = () => {
    shown.aside('Stopping; what was said so far is kept. Ctrl-C again leaves.')
    void talk.cancel(conversation).catch(() => undefined)
  }
  const done = onSignals(cancel, () => process.exit(EXIT.interrupted), ['SIGINT'])
  const asked = new Map<string, AbortController>()
  try {
    for await (const event of wholeAnswer(context, conversation, begun)) {
      shown.take(event)
      if (event.event === 'done') return { how: 'done', done: event.data }
      if (event.event === 'error') return { how: 'failed', error: event.data }
      if (event.event !== 'progress') continue
      const question = questionIn(event.data)
      if (question) {
        shown.close()
        const over = new AbortController()
        asked.set(question.request, over)
        const signal = AbortSignal.any([over.signal, answered.signal])
        void approved(context, question, signal, lines).then((choice) => {
          if (choice === null) cancel()
          else if (choice !== undefined)
            void talk.approve(conversation, question.request, choice).catch(({ message }: Error) => {
              context.output.note(message)
            })
        })
      } else if (event.data.kind === 'approval') asked.get(event.data.request_id ?? '')?.abort()
    }
    throw stopped()
  } finally {
    answered.abort()
    done()
    shown.end()
  }
}

/** What is on the screen so far. */
class Shown {
  readonly #context: Context
  /** The last line of the answer has no end yet. */
  #isOpen = false

  constructor(context: Context) {
    this.#context = context
  }

  take(event: ChatEvent): void {
    const { output } = this.#context
    if (output.json) {
      process.stdout.write(`${JSON.stringify(event)}\n`)
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

  /** On a terminal what follows begins with a line of its own; a pipe gets the answer as it is. */
  close(): void {
    if (process.stdout.isTTY === true) this.end()
  }

  /** The last line ends, as lines do. */
  end(): void {
    if (this.#isOpen) this.#context.output.piece('\n')
    this.#isOpen = false
  }
}

const NEXT: Readonly<Partial<Record<ErrorEvent['code'], string>>> = {
  not_configured:
    'Choose another with --model or --runtime, or name one in config.yaml; who can answer is in: panoptes doctor',
  not_installed: 'Install it, or take another with --runtime.',
  unreachable: 'Check that it runs, or take another with --runtime.',
  unauthorized: 'Check its key, or sign in to it.',
  rate_limited: 'Wait a while, then try again.',
  too_long: 'Begin a new conversation, or say it in fewer words.',
  interrupted: 'Say it again.',
}

/** The end of an answer as one of the command. */
export function asFailure({ code, message, retryable, partial_message_id }: ErrorEvent): CommandFailure {
  const kept = partial_message_id === undefined ? '' : ' What was said so far is kept.'
  const next = NEXT[code] ?? (retryable ? 'Try again.' : undefined)
  return new CommandFailure(`${message}${kept}`, { code, next })
}
