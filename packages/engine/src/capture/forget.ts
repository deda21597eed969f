import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { EventStore } from '@panoptes/engine/store'
import type { RemovedCount, Result, SessionRef } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { failure, success } from '@panoptes/schema/result'
import { waitingFiles } from './spool/spool.ts'
import { blankLines, parsed } from './tail/blank-lines.ts'
import { parsePlace } from './tail/file-position.ts'

type Forgotten = Promise<Result<readonly RemovedCount[]>>

interface JournalOptions {
  readonly path: string
  /**
   * Changes the file while nobody reads it, and makes the saved position independent of the bytes before it.
   */
  readonly hold: (work: () => Promise<number>) => Promise<number>
}

/** Removes the lines of sessions from an event file, including rotated ones. */
export const forgetLines =
  ({ path, hold }: JournalOptions) =>
  (sessions: readonly SessionRef[]): Forgotten =>
    countForgotten('journal', 'lines', path, () =>
      hold(async () => {
        let count = 0
        for (const file of await listRotated(path)) count += await blankLines(file, lineMatcher(sessions))
        return count
      }),
    )

/**
 * Works for a file that no process follows at the moment, so that only the saved position needs an update.
 */
export const holdMark =
  (path: string, store: Pick<EventStore, 'marks' | 'append'>): JournalOptions['hold'] =>
  async (work) => {
    const mark = `tail:${path}`
    const marks = await store.marks([mark])
    if (!marks.ok) throw new Error(marks.message)
    const place = parsePlace(marks.value[mark])
    if (place !== undefined) {
      const saved = await store.append([], { [mark]: JSON.stringify({ ...place, before: '' }) })
      if (!saved.ok) throw new Error(saved.message)
    }
    return work()
  }

/** Removes the payloads of sessions from the spool. */
export const forgetPayloads =
  (folder: string) =>
  (sessions: readonly SessionRef[]): Forgotten =>
    countForgotten('spool', 'payloads', folder, async () => {
      let count = 0
      for (const { path, source } of await waitingFiles(folder, Date.now()).catch(emptyList)) {
        const bytes = await readFile(path).catch(() => undefined)
        if (bytes === undefined || !isOfSession(bytes, source, sessions)) continue
        await rm(path, { force: true })
        count += 1
      }
      return count
    })

async function countForgotten(
  from: string,
  what: string,
  place: string,
  work: () => Promise<number>,
): Forgotten {
  try {
    return success([{ from, what, count: await work() }])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failure(
      'io',
      `Cannot delete sessions in ${place}: ${reason}. Fix the cause, then run the command again.`,
    )
  }
}

async function listRotated(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch(() => [])
  return names.filter((name) => name.startsWith(basename(path))).map((name) => join(dirname(path), name))
}

/** Matches lines that name one of the sessions. A truncated line matches if it contains the name anywhere. */
function lineMatcher(sessions: readonly SessionRef[]): (line: Buffer) => boolean {
  const names = sessions.map(({ source, id }) => ({ source, id, written: JSON.stringify(id).slice(1, -1) }))
  return (line) => {
    const named = names.filter(({ written }) => line.includes(written))
    if (named.length === 0) return false
    const value = parsed(line)
    if (!isPlainObject(value)) return true
    return named.some(({ source, id }) => value.session_id === id && (value.source ?? source) === source)
  }
}

/** Reads the session id from where clients put it in their payloads. */
function isOfSession(bytes: Buffer, source: string, sessions: readonly SessionRef[]): boolean {
  const value = parsed(bytes)
  if (!isPlainObject(value)) return false
  const places = [value, value.payload, value.data, value.event].filter(isPlainObject)
  const named = new Set(places.flatMap((each) => [each.session_id, each.sessionId]))
  return sessions.some((session) => session.source === source && named.has(session.id))
}

const emptyList = (): readonly never[] => []
