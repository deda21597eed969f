import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Ledger } from '@panoptes/engine/ledger'
import type { RemovedCount, Result, SessionRef } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { waitingFiles } from './spool/waiting.ts'
import { blankLines, parsed } from './tail/blank-lines.ts'
import { parsePlace } from './tail/place.ts'

type Forgotten = Promise<Result<readonly RemovedCount[]>>

interface JournalOptions {
  readonly path: string
  /** Has the file changed while nobody reads on in it, and its place there no longer hangs on what stood before it. */
  readonly hold: (work: () => Promise<number>) => Promise<number>
}

/** Takes the lines of sessions out of a file of events, also where it was rotated. */
export const forgetLines =
  ({ path, hold }: JournalOptions) =>
  (sessions: readonly SessionRef[]): Forgotten =>
    counted('journal', 'lines', path, () =>
      hold(async () => {
        let count = 0
        for (const file of await rotated(path)) count += await blankLines(file, lineOf(sessions))
        return count
      }),
    )

/** For when nobody follows the file just now: only the mark that says how far it was read has to be told. */
export const holdMark =
  (path: string, ledger: Pick<Ledger, 'marks' | 'append'>): JournalOptions['hold'] =>
  async (work) => {
    const mark = `tail:${path}`
    const marks = await ledger.marks([mark])
    if (!marks.ok) throw new Error(marks.message)
    const place = parsePlace(marks.value[mark])
    if (place !== undefined) {
      const told = await ledger.append([], { [mark]: JSON.stringify({ ...place, before: '' }) })
      if (!told.ok) throw new Error(told.message)
    }
    return work()
  }

/** Takes the payloads of sessions out of the spool. */
export const forgetPayloads =
  (folder: string) =>
  (sessions: readonly SessionRef[]): Forgotten =>
    counted('spool', 'payloads', folder, async () => {
      let count = 0
      for (const { path, source } of await waitingFiles(folder, Date.now()).catch(nothing)) {
        const bytes = await readFile(path).catch(() => undefined)
        if (bytes === undefined || !payloadOf(bytes, source, sessions)) continue
        await rm(path, { force: true })
        count += 1
      }
      return count
    })

async function counted(from: string, what: string, place: string, work: () => Promise<number>): Forgotten {
  try {
    return success([{ from, what, count: await work() }])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failure('io', `Cannot forget in ${place}: ${reason}. Remove the cause, then run it again.`)
  }
}

async function rotated(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch(() => [])
  return names.filter((name) => name.startsWith(basename(path))).map((name) => join(dirname(path), name))
}

/** A line is of a session that it names; half a line, where the name stands in it at all. */
function lineOf(sessions: readonly SessionRef[]): (line: Buffer) => boolean {
  const names = sessions.map(({ source, id }) => ({ source, id, written: JSON.stringify(id).slice(1, -1) }))
  return (line) => {
    const named = names.filter(({ written }) => line.includes(written))
    if (named.length === 0) return false
    const value = parsed(line)
    if (!isFields(value)) return true
    return named.some(({ source, id }) => value.session_id === id && (value.source ?? source) === source)
  }
}

/** Where clients say in their payloads which session it is. */
function payloadOf(bytes: Buffer, source: string, sessions: readonly SessionRef[]): boolean {
  const value = parsed(bytes)
  if (!isFields(value)) return false
  const places = [value, value.payload, value.data, value.event].filter(isFields)
  const named = new Set(places.flatMap((each) => [each.session_id, each.sessionId]))
  return sessions.some((session) => session.source === source && named.has(session.id))
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nothing = (): readonly never[] => []
