import { parseJson } from '@panoptes/schema/json'

/** The fields in which JSON results contain a command's output. */
const PRINTED = ['output', 'stdout', 'stderr', 'content', 'result', 'error'] as const

/** Extracts a command's output; some agents wrap it in JSON, where its lines are escaped. */
export function printed(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    const value = parseJson(text) as Readonly<Record<string, unknown>>
    const parts = PRINTED.map((name) => value[name]).filter((part) => typeof part === 'string' && part !== '')
    return parts.length === 0 ? text : parts.join('\n')
  } catch {
    return text
  }
}

/** Limits of values and levels. */
const MOST = 100_000
const DEEPEST = 16

/** Returns the words and numbers of a call's input, one per line. */
export function flattenInput(input: unknown): string {
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
