import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Paths } from '@panoptes/engine/home'
import type { Work } from '@panoptes/engine/store'
import type { Result, StorageInfo, WorkLine } from '@panoptes/schema'
import type { Refusal } from './problem.ts'
import { NDJSON_TYPE, type Reply } from './route.ts'

const PROGRESS_EVERY_MS = 100

type Backup = NonNullable<StorageInfo['last_backup']>

/**
 * Long-running work, one at a time. It streams its progress line by line, and stops when the client disconnects.
 */
export interface WorkRunner {
  readonly start: <T>(name: string, work: (work: Work) => Promise<Result<T>>) => Reply
  readonly recordBackup: (backup: Backup) => void
  readonly lastBackup: () => Backup | null
  readonly stop: () => void
}

export function createWorkRunner(): WorkRunner {
  let running: { readonly name: string; readonly abort: AbortController } | undefined
  let backup: Backup | null = null
  return {
    recordBackup: (made) => {
      backup = made
    },
    lastBackup: () => backup,
    stop: () => running?.abort.abort(),
    start: (name, work) => {
      if (running) return alreadyRunning(running.name)
      const abort = new AbortController()
      running = { name, abort }
      const encoder = new TextEncoder()
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => {
          const write = (line: WorkLine) => {
            if (!abort.signal.aborted) stream.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
          }
          work({ signal: abort.signal, onProgress: throttle(write) })
            .then((result) => write(toLastLine(result)))
            .catch(() => write({ type: 'failure', code: 'io', message: `The ${name} failed unexpectedly.` }))
            .finally(() => {
              running = undefined
              if (!abort.signal.aborted) stream.close()
            })
        },
        cancel: () => abort.abort(),
      })
      return new Response(body, { headers: { 'content-type': NDJSON_TYPE } })
    },
  }
}

function throttle(write: (line: WorkLine) => void): (done: number, total: number) => void {
  let last = 0
  return (done, total) => {
    const now = performance.now()
    if (now - last < PROGRESS_EVERY_MS) return
    last = now
    write({ type: 'progress', done, total })
  }
}

const toLastLine = (result: Result<unknown>): WorkLine =>
  result.ok
    ? { type: 'result', value: result.value }
    : { type: 'failure', code: result.code, message: result.message }

const alreadyRunning = (name: string): Refusal => ({
  status: 409,
  code: 'already_running',
  title: 'Already running',
  detail: `A ${name} is already running.`,
  next: 'Wait for it to finish, then try again.',
})

const backupFolder = (paths: Paths): string => join(paths.home, 'backups')

/** The file of a backup that was requested without a name. */
export const backupFile = (paths: Paths, now: Date): string =>
  join(backupFolder(paths), `ledger-${now.toISOString().replace(/[:.]/g, '-')}.db`)

/** Returns the newest backup in the folder, or the one that this process wrote elsewhere if that is newer. */
export async function newestBackup(paths: Paths, made: Backup | null): Promise<Backup | null> {
  let newest = made
  const names = await readdir(backupFolder(paths)).catch(() => [])
  const last = names
    .filter((name) => /^ledger-[^.]*\.db$/.test(name))
    .sort()
    .at(-1)
  if (last === undefined) return newest
  const path = join(backupFolder(paths), last)
  const found = await stat(path).catch(() => undefined)
  const at = found ? Math.round(found.mtimeMs) : 0
  if (found && (!newest || at > newest.at)) newest = { path, at, bytes: found.size }
  return newest
}
