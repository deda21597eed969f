const ONE_LINE = 60
/** These arguments are clear without their name. */
const COMMANDS: ReadonlySet<string> = new Set(['command', 'cmd', 'code'])

/**
 * Formats the arguments of a call for people: short ones as JSON on one line, longer texts unescaped after
 * their name.
 */
export function argumentsText(args: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(args)
  if (entries.length === 0) return ''
  const [only] = entries
  if (entries.length === 1 && typeof only?.[1] === 'string' && COMMANDS.has(only[0])) return only[1]
  const line = `{ ${entries.map(([name, value]) => `${JSON.stringify(name)}: ${toJson(value)}`).join(', ')} }`
  if (line.length <= ONE_LINE) return line
  return entries
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : toJson(value)}`)
    .join('\n')
}

const toJson = (value: unknown): string => JSON.stringify(value) ?? 'null'

export interface ExamplePiece {
  readonly kind: 'text' | 'removed' | 'cut'
  readonly text: string
  /** Its offset in the text. */
  readonly at: number
}

/** Placeholders of redacted secrets, and notes about cut text. */
const MARKS =
  /\[redacted:[\w .-]{1,40}\]|… (?:[\d,]{1,15} (?:lines?|characters?|items?) |nested deeper, )?cut\b/g

export function splitPieces(text: string): readonly ExamplePiece[] {
  const pieces: ExamplePiece[] = []
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
