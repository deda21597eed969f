import type { Outcome } from '@panoptes/schema'

export interface StatusMarker {
  readonly shipped: Outcome
  readonly stubs: number
  readonly verified: string | null
}

const OUTCOMES: ReadonlySet<string> = new Set(['functional', 'partial', 'scaffolding', 'fail'])

/** The STATUS-TRUTH marker of a last message: line by line, the first `shipped:` wins, whatever stands around it. */
export function readMarker(message: string): StatusMarker | undefined {
  let shipped: Outcome | undefined
  let stubs = 0
  let verified: string | null = null
  let start = 0
  while (start < message.length) {
    const newline = message.indexOf('\n', start)
    const end = newline < 0 ? message.length : newline
    const line = message.slice(start, Math.min(end, start + 200))
    start = end + 1
    if (shipped === undefined) shipped = outcomeOf(after(line, 'shipped:'))
    else {
      const count = after(line, 'stubs:')
      if (count !== undefined) stubs = Number.parseInt(/\d{1,9}/.exec(count)?.[0] ?? '0', 10)
      verified ??= after(line, 'behaviour-verified:')?.trim() ?? null
    }
  }
  return shipped === undefined ? undefined : { shipped, stubs, verified }
}

const after = (line: string, name: string): string | undefined =>
  line.startsWith(name) ? line.slice(name.length) : undefined

function outcomeOf(value: string | undefined): Outcome | undefined {
  const word = value?.trim().split(/\s/, 1)[0]?.toLowerCase() ?? ''
  return OUTCOMES.has(word) ? (word as Outcome) : undefined
}
