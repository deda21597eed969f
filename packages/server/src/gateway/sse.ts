import { type Connection, heldBackAnswer, type Write } from '../held-back.ts'

const KEEP_ALIVE = { text: ': keep-alive\n\n', everyMs: 15_000 }

/** An answer as a stream of events. */
export const sseAnswer = (
  { headers, stop }: Pick<Connection, 'headers' | 'stop'>,
  writeAll: (write: Write) => Promise<void>,
): Response =>
  heldBackAnswer(
    {
      stop,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
      keepAlive: KEEP_ALIVE,
    },
    writeAll,
  )

/** Readers of lines often take no more than 64 KB of one. */
const LONGEST_LINE = 32_768
/** Characters of each text, from what is usual to what fits in any case. */
const CUTS = [8_000, 1_000, 100]

/** Progress comes in comments, which clients pass over. Long texts in it are cut, so that a line is never too long for its reader. */
export function comment({ name, data }: { readonly name: string; readonly data: object }): string {
  for (const most of [Number.POSITIVE_INFINITY, ...CUTS]) {
    const line = `: ${name} ${JSON.stringify(data, (_key, value: unknown) => cut(value, most))}\n\n`
    if (Buffer.byteLength(line) <= LONGEST_LINE) return line
  }
  return `: ${name} {}\n\n`
}

const cut = (value: unknown, most: number): unknown =>
  typeof value === 'string' && value.length > most ? `${value.slice(0, most).toWellFormed()}…` : value
