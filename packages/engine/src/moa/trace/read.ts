import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { check, type TracedSession, type TraceRecord, traceRecord } from '@panoptes/schema'
import { linesOf } from './lines.ts'
import { formerTrace, traceName, traceNameBeginning } from './place.ts'
import type { ReadTraces, ReadWish } from './port.ts'

interface ReadOptions extends ReadWish {
  readonly folder: string
}

export const MOST_RECORDS = 2_000
export const MOST_BYTES = 134_217_728
export const LONGEST_LINE = 67_108_864

/** What was written down of a session, also in the file before this one. Whatever else is in there is counted, and does no harm. */
export async function readTraces(options: ReadOptions): Promise<ReadTraces> {
  const { folder, session, turn, most = MOST_RECORDS } = options
  const kept: { readonly record: TraceRecord; readonly bytes: number }[] = []
  let bytes = 0
  let older = 0
  let unreadable = 0
  for (const file of traceFiles(folder, session))
    for await (const line of linesOf(file, LONGEST_LINE)) {
      if (turn !== undefined && !line.includes(turn)) continue
      const record = recordIn(line)
      if (record === undefined) unreadable += 1
      else if (turn === undefined ? record.session_id === session : record.turn_id.startsWith(turn)) {
        kept.push({ record, bytes: line.length })
        bytes += line.length
        while (kept.length > 1 && (kept.length > most || bytes > MOST_BYTES)) {
          bytes -= kept.shift()?.bytes ?? 0
          older += 1
        }
      }
    }
  return { records: kept.map(({ record }) => record), older, unreadable }
}

/** The one before, then the one that is written to. */
export function traceFiles(folder: string, session: string): readonly string[] {
  const file = join(folder, traceName(session))
  return [formerTrace(file), file]
}

export function recordIn(line: Buffer): TraceRecord | undefined {
  try {
    const checked = check(traceRecord, JSON.parse(line.toString('utf8')))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}

const MOST_FILES = 100_000
export const MOST_SESSIONS = 500
const HEAD = 8_192

/** The sessions of which something was written down, the newest first; where a beginning of their ids is given, only those. */
export async function tracedSessions(folder: string, begin = ''): Promise<readonly TracedSession[]> {
  const sessions = new Map<string, TracedSession>()
  for (const file of await newestFiles(folder, traceNameBeginning(begin))) {
    const id = await sessionIn(file.file)
    if (id === undefined || !id.startsWith(begin)) continue
    const newer = sessions.get(id)
    sessions.set(
      id,
      newer
        ? { ...newer, bytes: newer.bytes + file.bytes }
        : { session_id: id, ...file, file: join(folder, traceName(id)) },
    )
    if (sessions.size >= MOST_SESSIONS) break
  }
  return [...sessions.values()]
}

/** The session of the turn whose id begins so, looked for in all files; nothing where it is in none. */
export async function sessionOfTurn(folder: string, turn: string): Promise<string | undefined> {
  for (const { file } of await newestFiles(folder, ''))
    for await (const line of linesOf(file, LONGEST_LINE)) {
      const record = line.includes(turn) ? recordIn(line) : undefined
      if (record?.turn_id.startsWith(turn)) return record.session_id ?? ''
    }
  return undefined
}

interface FoundFile {
  readonly file: string
  readonly bytes: number
  readonly modified_at: number
}

async function newestFiles(folder: string, begin: string): Promise<FoundFile[]> {
  const names = await readdir(folder).catch(() => [])
  const files: FoundFile[] = []
  const fitting = names.filter((name) => name.startsWith(begin) && name.endsWith('.jsonl'))
  for (const name of fitting.slice(0, MOST_FILES)) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found?.isFile())
      files.push({ file: join(folder, name), bytes: found.size, modified_at: Math.round(found.mtimeMs) })
  }
  // Of two that changed at once, the one that is written to comes first.
  return files.sort((a, b) => b.modified_at - a.modified_at || (a.file < b.file ? 1 : -1))
}

/** It stands near the beginning of every line. */
async function sessionIn(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD), 0, HEAD)
    const head = buffer.subarray(0, bytesRead).toString('utf8')
    const [, quoted] = /^\{"ts":\s?[\d.e+]+,\s?"session_id":\s?("(?:[^"\\]|\\.){0,2000}")/.exec(head) ?? []
    return quoted === undefined ? undefined : (JSON.parse(quoted) as string)
  } catch {
    return undefined
  } finally {
    await handle.close()
  }
}
