import { open } from 'node:fs/promises'
import { jsonProblem, parseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'

const CHUNK = 262_144
/** A longer line is skipped, because it would have to be in memory as a whole. */
const MOST_LINE = 33_554_432
const NEWLINE = 10

export type JsonLine =
  /** `end` is the number of bytes up to the end of the line. */
  | { readonly line: number; readonly value: Readonly<Record<string, unknown>>; readonly end: number }
  | { readonly line: number; readonly problem: string }

/**
 * Reads a file of JSON objects, one per line. A last line without a line end counts if it is a whole object;
 * otherwise it is still being written and is left out. Other invalid lines are reported and skipped. It
 * throws only what opening and reading throw.
 */
export const jsonLines = (path: string, signal?: AbortSignal, chunk = CHUNK): AsyncGenerator<JsonLine> =>
  jsonLinesIn(readChunks(path, chunk), signal)

/** Reads JSON objects from chunks of text. A chunk is processed before the next one is requested. */
export async function* jsonLinesIn(
  chunks: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): AsyncGenerator<JsonLine> {
  let held: Buffer[] = []
  let heldBytes = 0
  let line = 0
  let passed = 0
  if (signal?.aborted) return
  for await (const bytes of chunks) {
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      line += 1
      const length = heldBytes + end - start
      if (length > MOST_LINE) yield { line, problem: `is longer than ${MOST_LINE / 1_048_576} MB` }
      else {
        const parsed = parsedLine(
          line,
          passed + end + 1,
          Buffer.concat([...held, bytes.subarray(start, end)]),
        )
        if (parsed) yield parsed
      }
      held = []
      heldBytes = 0
      start = end + 1
    }
    passed += bytes.length
    const rest = bytes.length - start
    heldBytes += rest
    if (heldBytes > MOST_LINE) held = []
    else if (rest > 0) held.push(Buffer.from(bytes.subarray(start)))
    if (signal?.aborted) return
  }
  const last = parsedLine(line + 1, passed, Buffer.concat(held))
  if (last !== undefined && 'value' in last) yield last
}

async function* readChunks(path: string, chunk: number): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(chunk)
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, chunk, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

function parsedLine(line: number, end: number, bytes: Buffer): JsonLine | undefined {
  const text = bytes.toString('utf8').trim()
  if (text === '') return undefined
  try {
    const value = parseJson(text.startsWith('\uFEFF') ? text.slice(1) : text)
    if (isPlainObject(value)) return { line, value, end }
    return { line, problem: 'is not a JSON object' }
  } catch {
    return { line, problem: jsonProblem(text) }
  }
}
