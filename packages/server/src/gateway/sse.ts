import { backpressureResponse, type Connection, type Write } from '../backpressure-stream.ts'

const KEEP_ALIVE = { text: ': keep-alive\n\n', everyMs: 15_000 }

/** An answer as server-sent events. */
export const sseAnswer = (
  { headers, stop }: Pick<Connection, 'headers' | 'stop'>,
  writeAll: (write: Write) => Promise<void>,
): Response =>
  backpressureResponse(
    {
      stop,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
      keepAlive: KEEP_ALIVE,
    },
    writeAll,
  )

/** Many clients read lines of at most 64 KB. */
const LONGEST_LINE = 32_768
/** Limits per text, tried in this order until the line is short enough. */
const CUTS = [8_000, 1_000, 100]

/**
 * Sends progress as a comment, which clients skip. Long texts are cut, so that the line fits into their buffers.
 */
export function comment({ name, data }: { readonly name: string; readonly data: object }): string {
  for (const most of [Number.POSITIVE_INFINITY, ...CUTS]) {
    const line = `: ${name} ${JSON.stringify(data, (_key, value: unknown) => cut(value, most))}\n\n`
    if (Buffer.byteLength(line) <= LONGEST_LINE) return line
  }
  return `: ${name} {}\n\n`
}

const cut = (value: unknown, most: number): unknown =>
  typeof value === 'string' && value.length > most ? `${value.slice(0, most).toWellFormed()}…` : value
