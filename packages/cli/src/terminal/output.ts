import type { CommandFailure } from '../failure.ts'
import { commandName, typedHere } from './invocation.ts'
import { type Paint, paintFor } from './paint.ts'

/** Where a command puts its words: lines for a person, or one JSON document for a program. */
export interface Output {
  readonly json: boolean
  readonly paint: Paint
  /** What to type for this command, here. */
  readonly command: string
  /** A text for a person, in which commands are written as they are typed here. */
  readonly typed: (text: string) => string
  /** How wide the terminal is; nothing where stdout is none. */
  readonly width: number | undefined
  /** stderr is a terminal: a line there may be written over. */
  readonly interactive: boolean
  /** The answer, in both shapes; only one is shown. */
  readonly answer: (lines: readonly string[], document: object) => void
  /** A part of the answer, as soon as it is there; where a document is asked for, that holds all of it. */
  readonly piece: (text: string) => void
  /** On the way: to stderr, so that stdout stays the answer. */
  readonly note: (line: string) => void
  /** The same, dim, and only where somebody looks: nothing that has to be read. */
  readonly aside: (line: string) => void
  readonly failed: (failure: CommandFailure) => void
}

/** Without what would move the cursor or turn the writing round. */
const harmless = (text: string): string => text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '\uFFFD')

export function makeOutput(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Output {
  const json = argv.includes('--json')
  const refused = argv.includes('--no-color')
  const paint = paintFor({ env, terminal: process.stdout.isTTY === true, refused })
  const errors = paintFor({ env, terminal: process.stderr.isTTY === true, refused })
  const typed = typedHere(env)
  return {
    json,
    paint,
    command: commandName(env),
    typed,
    width: process.stdout.isTTY === true ? process.stdout.columns : undefined,
    interactive: process.stderr.isTTY === true && !json,
    answer: (lines, document) => {
      const text = json ? JSON.stringify(document, null, 2) : typed(lines.join('\n'))
      if (text !== '') process.stdout.write(`${text}\n`)
    },
    piece: (text) => {
      if (!json) process.stdout.write(process.stdout.isTTY === true ? harmless(text) : text)
    },
    note: (line) => {
      if (!json) process.stderr.write(`${typed(line)}\n`)
    },
    aside: (line) => {
      if (!json && process.stderr.isTTY === true) process.stderr.write(`${errors.dim(typed(line))}\n`)
    },
    failed: ({ message, code, next, says }) => {
      if (json) {
        const document = { ok: false, code, message: typed(message), next: next ? typed(next) : null }
        process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
        return
      }
      if (says !== undefined) process.stdout.write(`${says}\n`)
      if (says !== message) process.stderr.write(`${errors.red('panoptes:')} ${typed(message)}\n`)
      if (next) process.stderr.write(`${typed(next)}\n`)
    },
  }
}
