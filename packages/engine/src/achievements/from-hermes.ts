import { hash } from 'node:crypto'
import type { CountedRow } from '@panoptes/engine/sources'
import type { Told } from './contribution.ts'
import { parsePython, pythonJson } from './python-json.ts'
import { MOST_SKIPPED_IN_ONE } from './skips.ts'

interface Skipped {
  readonly row: string
  readonly reason: string
}

/** Characters: beyond them a row is known by its hash, so that a long session does not stand in memory. */
const MOST_HELD = 4_194_304

/** Rows of Hermes as the metrics see them, in order. */
export class HermesTold {
  /** The first of those that could not be read. */
  readonly skipped: Skipped[] = []
  readonly #times = new Map<unknown, Seen[]>()
  #held = 0

  /** Nothing for a row that was there before, or that cannot be read. */
  toldOnce(row: CountedRow): Told | undefined {
    return this.#wasThere(row) ? undefined : this.told(row)
  }

  /** The same for a row that cannot have been there before. */
  told(row: CountedRow): Told | undefined {
    const [id, role, content, , , calls, toolName] = row
    try {
      return toldOf(role, content, calls, toolName)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      if (this.skipped.length < MOST_SKIPPED_IN_ONE)
        this.skipped.push({ row: String(id), reason: error.message })
      return undefined
    }
  }

  /** Compaction keeps a message that it carried over in every generation: the same in all but its id. */
  #wasThere(row: CountedRow): boolean {
    const [, , content, time, , calls] = row
    this.#held += lengthOf(content) + lengthOf(calls)
    const seen = this.#held > MOST_HELD ? hashOf(row) : row
    const same = this.#times.get(time)
    if (same === undefined) {
      this.#times.set(time, [seen])
      return false
    }
    if (same.some((other) => isSame(other, row))) return true
    same.push(seen)
    return false
  }
}

type Seen = CountedRow | string

const isSame = (seen: Seen, row: CountedRow): boolean =>
  typeof seen === 'string'
    ? seen === hashOf(row)
    : seen.every((value, at) => at === 0 || isEqual(value, row[at]))

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other ||
  (one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0)

const hashOf = (row: CountedRow): string =>
  hash(
    'sha256',
    JSON.stringify(row.slice(1), (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
  )

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0)

class Malformed extends Error {}

function toldOf(role: unknown, content: unknown, calls: unknown, toolName: unknown): Told {
  const named = nameOf(toolName, 'its tool')
  const called = callsOf(calls)
  const isResult = role === 'tool'
  return {
    text: textOf(content),
    calls: named !== undefined && !isResult ? [named, ...called.names] : called.names,
    result: named,
    callsText: called.text,
  }
}

function nameOf(value: unknown, what: string): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw new Malformed(`the name of ${what} is no text`)
  return value
}

const STRUCTURED = '\u0000json:'

function textOf(content: unknown): string {
  if (content === null) return ''
  if (typeof content === 'bigint') throw new Malformed('its text is too long to be read')
  if (typeof content !== 'string') throw new Malformed('its text is no text')
  if (!content.startsWith(STRUCTURED)) return content
  const json = content.slice(STRUCTURED.length)
  const written = pythonJson(json)
  if (written === undefined) return content
  const value = parsePython(json)
  return typeof value === 'string' ? value : written
}

interface Called {
  readonly names: readonly string[]
  readonly text: string | undefined
}

const NO_CALLS: Called = { names: [], text: undefined }
/** What Python would write otherwise: anything but ASCII, and characters that need not have been escaped. */
const NOT_PLAIN = /[\u007f-\uffff]|\\\/|\\u00[2-7]/

function callsOf(calls: unknown): Called {
  if (calls === null || calls === '') return NO_CALLS
  if (typeof calls === 'bigint') throw new Malformed('its calls are too long to be read')
  if (typeof calls !== 'string') throw new Malformed('its calls are no text')
  let list: unknown
  try {
    list = parsePython(calls)
  } catch {
    return NO_CALLS
  }
  const text = NOT_PLAIN.test(calls) ? pythonJson(calls) : calls
  return { names: Array.isArray(list) ? list.flatMap(calledName) : [], text }
}

function calledName(call: unknown): readonly string[] {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return []
  const { name, function: named } = call as { readonly name?: unknown; readonly function?: unknown }
  const own = nameOf(name, 'a call')
  if (own !== undefined) return [own]
  if (named === null || named === undefined || named === '') return []
  if (typeof named !== 'object') throw new Malformed('a call has no function')
  const inner = nameOf((named as { readonly name?: unknown }).name, 'a call')
  return inner === undefined ? [] : [inner]
}
