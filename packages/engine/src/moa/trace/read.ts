import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { check, type TracedSession, type TraceRecord, traceRecord } from '@panoptes/schema'
import type { ReadRequest, ReadTraces } from './port.ts'
import { formerTrace, traceName, traceNameBeginning } from './trace-paths.ts'

interface ReadOptions extends ReadRequest {
  readonly folder: string
}

export const MOST_RECORDS = 2_000
export const MOST_BYTES = 134_217_728
export const LONGEST_LINE = 67_108_864

const CHUNK = 262_144
const NEW_LINE = 10

/**
 * Reads the trace of a session, including its previous file. Anything else in the file is counted
 * and otherwise ignored.
 */
export async function readTraces(options: ReadOptions): Promise<ReadTraces> {
  const { folder, session, turn, most = MOST_RECORDS } = options
  const matches: { readonly record: TraceRecord; readonly bytes: number }[] = []
  let bytes = 0
  let older = 0
  let unreadable = 0
  for (const file of traceFiles(folder, session))
    for await (const line of readLines(file, LONGEST_LINE)) {
      if (turn !== undefined && !line.includes(turn)) continue
      const record = parseRecord(line)
      if (record === undefined) unreadable += 1
      else if (turn === undefined ? record.session_id === session : record.turn_id.startsWith(turn)) {
        matches.push({ record, bytes: line.length })
        bytes += line.length
        while (matches.length > 1 && (matches.length > most || bytes > MOST_BYTES)) {
          bytes -= matches.shift()?.bytes ?? 0
          older += 1
        }
      }
    }
  return { records: matches.map(({ record }) => record), older, unreadable }
}

/** The previous file, then the current one. */
export function traceFiles(folder: string, session: string): readonly string[] {
  const file = join(folder, traceName(session))
  return [formerTrace(file), file]
}

export function parseRecord(line: Buffer): TraceRecord | undefined {
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

/**
 * Lists the sessions with a trace, newest first, optionally only those whose ids have this prefix.
 */
export async function listTracedSessions(folder: string, begin = ''): Promise<readonly TracedSession[]> {
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

/**
 * Searches all files for the session of the turn whose id has this prefix. Returns undefined if
 * there is none.
 */
export async function findTurnSession(folder: string, turn: string): Promise<string | undefined> {
  for (const { file } of await newestFiles(folder, ''))
    for await (const line of readLines(file, LONGEST_LINE)) {
      const record = line.includes(turn) ? parseRecord(line) : undefined
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
  // If two files changed at the same time, the current one comes first.
  return files.sort((a, b) => b.modified_at - a.modified_at || (a.file < b.file ? 1 : -1))
}

/** The session id is near the beginning of every line. */
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

/**
 * Yields the lines of a file one at a time and skips those longer than `longest` bytes. Yields
 * nothing if the file cannot be read.
 */
export async function* readLines(file: string, longest: number): AsyncGenerator<Buffer, undefined> {
  // Opening a pipe would block forever, and a folder cannot be read as a file.
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) return
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return
  try {
    let parts: Buffer[] = []
    let bytes = 0
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK)
      if (bytesRead === 0) break
      let rest = buffer.subarray(0, bytesRead)
      for (let at = rest.indexOf(NEW_LINE); at >= 0; at = rest.indexOf(NEW_LINE)) {
        bytes += at
        if (bytes > 0 && bytes <= longest) yield Buffer.concat([...parts, rest.subarray(0, at)])
        parts = []
        bytes = 0
        rest = rest.subarray(at + 1)
      }
      bytes += rest.length
      if (bytes > longest) parts = []
      else parts.push(rest)
    }
    // A last line without a newline may still be being written. The reader decides whether it is
    // whole.
    if (bytes > 0 && bytes <= longest) yield Buffer.concat(parts)
  } catch {
    // The file was deleted meanwhile.
  } finally {
    await handle.close()
  }
}
