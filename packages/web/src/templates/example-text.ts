const ONE_LINE = 60
/** Arguments that say by themselves what they are. */
const COMMANDS: ReadonlySet<string> = new Set(['command', 'cmd', 'code'])

/** What a call was given, so that a person can read it: short ones as JSON on one line, longer texts as they are after their name. */
export function argumentsText(given: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(given)
  if (entries.length === 0) return ''
  const [only] = entries
  if (entries.length === 1 && typeof only?.[1] === 'string' && COMMANDS.has(only[0])) return only[1]
  const line = `{ ${entries.map(([name, value]) => `${JSON.stringify(name)}: ${jsonOf(value)}`).join(', ')} }`
  if (line.length <= ONE_LINE) return line
  return entries
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : jsonOf(value)}`)
    .join('\n')
}

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null'

export interface Piece {
  readonly kind: 'text' | 'removed' | 'cut'
  readonly text: string
  /** Where it begins. */
  readonly at: number
}

/** What took the place of a secret, and what says how much was cut away. */
const MARKS =
  /\[redacted:[\w .-]{1,40}\]|… (?:[\d,]{1,15} (?:lines?|characters?|items?) |nested deeper, )?cut\b/g

export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const found of text.matchAll(MARKS)) {
    if (found.index > at) pieces.push({ kind: 'text', text: text.slice(at, found.index), at })
    const kind = found[0].startsWith('[') ? 'removed' : 'cut'
    pieces.push({ kind, text: found[0], at: found.index })
    at = found.index + found[0].length
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at), at })
  return pieces
}
