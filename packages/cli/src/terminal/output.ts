import { formatSafeJson, toVisible, toVisiblePart } from '@panoptes/schema/shown'
import type { CommandFailure } from '../failure.ts'
import { commandName, createCommandRewriter } from './invocation.ts'
import { createPaint, escapeControl, type Paint } from './paint.ts'

/** The output of a command: lines for a user, or one JSON document for a program. */
export interface Output {
  readonly json: boolean
  readonly paint: Paint
  /** How this command is typed here. */
  readonly command: string
  /** Rewrites the commands in a text as they are typed here. */
  readonly typed: (text: string) => string
  /** The width of the terminal, or undefined if stdout is not a terminal. */
  readonly width: number | undefined
  /** Whether stderr is a terminal, where a line can be redrawn. */
  readonly interactive: boolean
  /** Prints the result in one of two forms. */
  readonly answer: (lines: readonly string[], document: object) => void
  /**
   * Prints a part of the result as soon as it is available. With JSON output, the document contains all of
   * it.
   */
  readonly piece: (text: string) => void
  /** Prints to stderr, so that stdout contains only the result. */
  readonly note: (line: string) => void
  /** Prints an optional note in a dim color, and only on a terminal. */
  readonly aside: (line: string) => void
  readonly failed: (failure: CommandFailure) => void
}

export function makeOutput(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Output {
  const json = argv.includes('--json')
  const refused = argv.includes('--no-color')
  const paint = createPaint({ env, terminal: process.stdout.isTTY === true, refused })
  const errors = createPaint({ env, terminal: process.stderr.isTTY === true, refused })
  const typed = createCommandRewriter(env)
  return {
    json,
    paint,
    command: commandName(env),
    typed,
    width: process.stdout.isTTY === true ? process.stdout.columns : undefined,
    interactive: process.stderr.isTTY === true && !json,
    answer: (lines, document) => {
      const text = json ? formatSafeJson(document, 2) : escapeControl(typed(lines.join('\n')))
      if (text !== '') process.stdout.write(`${text}\n`)
    },
    piece: (text) => {
      if (!json) process.stdout.write(toVisiblePart(text))
    },
    note: (line) => {
      if (!json) process.stderr.write(`${escapeControl(typed(line))}\n`)
    },
    aside: (line) => {
      if (!json && process.stderr.isTTY === true)
        process.stderr.write(`${escapeControl(errors.dim(typed(line)))}\n`)
    },
    failed: ({ message, code, next, says }) => {
      if (json) {
        const document = { ok: false, code, message: typed(message), next: next ? typed(next) : null }
        process.stdout.write(`${formatSafeJson(document, 2)}\n`)
        return
      }
      if (says !== undefined) process.stdout.write(`${escapeControl(says)}\n`)
      if (says !== message)
        process.stderr.write(`${escapeControl(`${errors.red('panoptes:')} ${typed(message)}`)}\n`)
      if (next) process.stderr.write(`${toVisible(typed(next))}\n`)
    },
  }
}
