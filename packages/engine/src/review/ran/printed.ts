/** Where results that are JSON have what a command printed. */
const PRINTED = ['output', 'stdout', 'stderr', 'content', 'result', 'error'] as const

/** What was printed: some agents keep it in JSON, where its lines are not lines. */
export function printed(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>>
    const parts = PRINTED.map((name) => value[name]).filter((part) => typeof part === 'string' && part !== '')
    return parts.length === 0 ? text : parts.join('\n')
  } catch {
    return text
  }
}

/** In values, and levels. */
const MOST = 100_000
const DEEPEST = 16

/** The words and numbers of what a call was given, a line each. */
export function wordsOf(input: unknown): string {
  const lines: string[] = []
  const add = (value: unknown, name: string, depth: number): void => {
    if (lines.length >= MOST || depth > DEEPEST) return
    if (typeof value === 'string') lines.push(value)
    else if (typeof value === 'number') lines.push(`${name}: ${value}`)
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) add(each, key, depth + 1)
  }
  add(input, '', 0)
  return lines.join('\n')
}
