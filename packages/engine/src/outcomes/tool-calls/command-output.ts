import { parseJson } from '@panoptes/schema/json'

/** The fields in which JSON results contain a command's output. */
const PRINTED = ['output', 'stdout', 'stderr', 'content', 'result', 'error'] as const

const EXIT = /^(?:Process exited with code|Exit code:?) (-?\d{1,5})$/m
const IN_JSON = /"(?:exit_code|exitCode|returncode)"\s{0,4}:\s{0,4}(-?\d{1,5})\b/
const TIMED_OUT = /^\s{0,8}(?:\[|<[\w-]{1,40}>)?(?:the )?command timed out\b/im
/**
 * Exit codes of commands ended from outside: `timeout`, a closed terminal or pipe, an interrupt, a
 * kill.
 */
const FROM_OUTSIDE: ReadonlySet<number> = new Set([124, 129, 130, 137, 141, 143, -2, -9, -15])
const HEAD = 600
const TAIL = 400

/** Extracts a command's output; some agents wrap it in JSON, where its lines are escaped. */
export function readOutput(text: string): string {
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

/**
 * True if a command was ended before it was done, so that its failure says nothing about what it
 * ran.
 */
export function wasCut(output: string): boolean {
  const ends = output.length <= HEAD + TAIL ? output : `${output.slice(0, HEAD)}\n${output.slice(-TAIL)}`
  const code = EXIT.exec(ends)?.[1] ?? (output.startsWith('{') ? IN_JSON.exec(ends)?.[1] : undefined)
  return (code !== undefined && FROM_OUTSIDE.has(Number(code))) || TIMED_OUT.test(ends)
}
