import { randomBytes } from 'node:crypto'
import { toVisible } from '@panoptes/schema/shown'

/** Colors text if colors are wanted. `harmless` makes the result safe for a terminal. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly gold: (text: string) => string
  readonly green: (text: string) => string
  readonly red: (text: string) => string
}

/** Agents cannot guess this marker, so their sequences are never taken for our colors. */
const MARK = randomBytes(8).toString('hex')

const wrap = (on: string, off: string) => (text: string) => `\x1b${MARK}[${on}m${text}\x1b${MARK}[${off}m`
const plain = (text: string) => text

const COLORED: Paint = {
  bold: wrap('1', '22'),
  dim: wrap('2', '22'),
  gold: wrap('33', '39'),
  green: wrap('32', '39'),
  red: wrap('31', '39'),
}
const COLORS = new RegExp(`\\u001b${MARK}(\\[\\d+m)`)

/** Escapes everything that moves the cursor or changes the text direction. Only colors of `Paint` stay. */
export const escapeControl = (text: string): string =>
  text
    .split(COLORS)
    .map((part, at) => (at % 2 === 0 ? toVisible(part) : `\x1b${part}`))
    .join('')

/** The number of visible characters. */
export const visibleLength = (text: string): number =>
  text.split(COLORS).reduce((sum, part, at) => sum + (at % 2 === 0 ? part.length : 0), 0)

const PLAIN: Paint = { bold: plain, dim: plain, gold: plain, green: plain, red: plain }

interface PaintOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly terminal: boolean
  /** Whether `--no-color` was given. */
  readonly refused: boolean
}

/**
 * Uses no color with `--no-color`, with a non-empty `NO_COLOR`, on a dumb terminal, or without a terminal.
 */
export function createPaint({ env, terminal, refused }: PaintOptions): Paint {
  if (refused || (env.NO_COLOR ?? '') !== '' || !terminal || env.TERM === 'dumb') return PLAIN
  return COLORED
}
