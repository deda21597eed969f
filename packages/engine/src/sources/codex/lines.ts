import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { countOf, type Fields, fieldsOf, isFields, textOf, timeOf } from '../fields.ts'
import { type JsonLine, jsonLines, jsonLinesIn } from '../json-lines.ts'

/** One line of a rollout: what kind of thing it tells, and when it was written. */
export interface Line {
  readonly line: number
  readonly type: string
  readonly ts: number | null
  /** The number of the line in the history of its thread; older rollouts have none. */
  readonly ordinal: number | null
  readonly payload: Fields
}

export type RolloutLine = Line | { readonly line: number; readonly problem: string }

/** The lines of a rollout, packed or not. */
export async function* rolloutLines(
  path: string,
  signal?: AbortSignal,
  chunk?: number,
): AsyncGenerator<RolloutLine> {
  for await (const each of linesOf(path, signal, chunk)) yield 'problem' in each ? each : lineOf(each)
}

async function* linesOf(path: string, signal?: AbortSignal, chunk?: number): AsyncGenerator<JsonLine> {
  if (!path.endsWith('.zst')) return yield* jsonLines(path, signal, chunk)
  let line = 0
  try {
    for await (const each of jsonLinesIn(unpacked(path), signal)) {
      line = each.line
      yield each
    }
  } catch (error) {
    if (!isDamage(error)) throw error
    yield { line: line + 1, problem: 'cannot be unpacked' }
  }
}

function unpacked(path: string): AsyncIterable<Buffer> {
  // What goes wrong is told to whoever reads the pieces.
  return pipeline(createReadStream(path), createZstdDecompress(), () => undefined)
}

const isDamage = (error: unknown): boolean => /^Z(STD)?_/i.test(String((error as NodeJS.ErrnoException).code))

/** Rollouts of the first versions have no payload: a line is the item itself, and the first one tells of the session. */
function lineOf({ line, value }: { readonly line: number; readonly value: Fields }): Line {
  const base = { line, ts: timeOf(value.timestamp), ordinal: countOf(value.ordinal) }
  const type = textOf(value.type)
  if (isFields(value.payload)) return { ...base, type: type ?? '', payload: fieldsOf(value.payload) }
  if (type !== null) return { ...base, type: 'response_item', payload: value }
  return { ...base, type: textOf(value.id) === null ? '' : 'session_meta', payload: value }
}
