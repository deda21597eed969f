import { alnum, type CharacterSet, digit, has, runEnd, slug } from './characters.ts'
import { KNOWN } from './known.ts'
import type { Shape } from './shape.ts'

interface KeyShape {
  readonly label: string
  readonly literal: string
  readonly body: CharacterSet
  /** The least number of characters after the literal. */
  readonly least: number
  /** Exactly `least` characters, no more. */
  readonly exact: boolean
}

const KEYS: readonly KeyShape[] = KNOWN.flatMap(([label, body, least, literals]) =>
  literals.split(' ').map((literal) => ({ label, literal, body, least: Math.abs(least), exact: least < 0 })),
)

export const keyShapes: readonly Shape[] = KEYS.map((shape) => ({
  literal: shape.literal,
  look: (text, start, end) => {
    if (has(alnum, text, start - 1) || !text.startsWith(shape.literal, start)) return end
    const stop = runEnd(shape.body, text, end)
    const length = stop - end
    if (length < shape.least || (shape.exact && length !== shape.least)) return stop
    return has(alnum, text, stop) ? stop : { label: shape.label, start, end: stop }
  },
}))

const NAMED: readonly (readonly [prefix: string, label: string])[] = [
  ['sk-ant-', 'anthropic-key'],
  ['sk-proj-', 'openai-key'],
  ['sk-svcacct-', 'openai-key'],
  ['sk-or-', 'openrouter-key'],
  ['sk-lf-', 'langfuse-key'],
]

/** `sk-` also starts ordinary words (`sk-toggleable-label`), so the rest must look like chance. */
export const openAiShape: Shape = {
  literal: 'sk-',
  look: (text, start, end) => {
    if (has(alnum, text, start - 1) || !text.startsWith('sk-', start)) return end
    const stop = runEnd(slug, text, end)
    const named = NAMED.find(([prefix]) => text.startsWith(prefix, start))
    if (named && stop - start >= named[0].length + 16) return { label: named[1], start, end: stop }
    return hasChancePart(text, end, stop) ? { label: 'openai-key', start, end: stop } : stop
  },
}

/** A part between dashes that is long, and has a digit unless it is very long. */
function hasChancePart(text: string, from: number, to: number): boolean {
  let at = from
  while (at < to) {
    const stop = runEnd(alnum, text, at, to)
    let digits = 0
    for (let index = at; index < stop; index++) if (has(digit, text, index)) digits += 1
    if (stop - at >= 32 || (stop - at >= 14 && digits > 0)) return true
    at = stop + 1
  }
  return false
}
