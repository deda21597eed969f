import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { type Fields, toCount, toFields, toText, toTime } from '../fields.ts'
import { type JsonLine, jsonLines, jsonLinesIn } from '../json-lines.ts'

/** A rollout line: its kind, its payload, and when it was written. */
export interface Line {
  readonly line: number
  readonly type: string
  readonly ts: number | null
  /** The number of the line in the thread's history. Older rollouts have none. */
  readonly ordinal: number | null
  readonly payload: Fields
}

export type RolloutLine = Line | { readonly line: number; readonly problem: string }

/** Reads the lines of a rollout, compressed or not. */
export async function* rolloutLines(
  path: string,
  signal?: AbortSignal,
  chunk?: number,
): AsyncGenerator<RolloutLine> {
  for await (const each of readLines(path, signal, chunk)) yield 'problem' in each ? each : toLine(each)
}

async function* readLines(path: string, signal?: AbortSignal, chunk?: number): AsyncGenerator<JsonLine> {
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
  // Whoever reads the stream gets the error, so the callback is empty.
  return pipeline(createReadStream(path), createZstdDecompress(), () => undefined)
}

const isDamage = (error: unknown): boolean => /^Z(STD)?_/i.test(String((error as NodeJS.ErrnoException).code))

/**
 * Rollouts of the first versions have no payload: a line is the item itself, and the first line describes the
 * session.
 */
function toLine({ line, value }: { readonly line: number; readonly value: Fields }): Line {
  const base = { line, ts: toTime(value.timestamp), ordinal: toCount(value.ordinal) }
  const type = toText(value.type)
  if (isPlainObject(value.payload)) return { ...base, type: type ?? '', payload: toFields(value.payload) }
  if (type !== null) return { ...base, type: 'response_item', payload: value }
  return { ...base, type: toText(value.id) === null ? '' : 'session_meta', payload: value }
}
