import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backup as copyPages, type DatabaseSync } from 'node:sqlite'
import { type Job, Refused } from '@panoptes/engine/worker-rpc'
import type { BackupReply } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { stoppedFailure, writeNewFile } from '../new-file.ts'
import { copyOriginals } from '../originals/copy.ts'
import { toFailure } from './failures.ts'
import { FORGOTTEN_ROWS, readNumber } from './migrations.ts'
import { openForReading } from './open-file.ts'
import { openToRead } from './open-read-only.ts'
import { baseSeq, lastSeq } from './writer.ts'

const PAGES_A_STEP = 1_000

/** Copies the store, with past sessions and the files of sessions if there are any. */
export async function backup(file: string, target: string, replace: boolean, job: Job): Promise<BackupReply> {
  const { made, originals } = await copyOriginals(
    {
      from: join(dirname(file), ORIGINALS),
      to: `${withoutEnding(target)}.originals`,
      replace,
      stopped: job.stopped,
    },
    () => copyDatabases(file, target, replace, job),
  )
  return originals === undefined ? made : { ...made, originals }
}

/**
 * Copies one snapshot of the store, and one of past sessions if there are any, and checks the copies. Both appear
 * or neither does. The open read transactions hold the snapshots while appends continue.
 */
async function copyDatabases(file: string, target: string, replace: boolean, job: Job): Promise<BackupReply> {
  const history = join(dirname(file), HISTORY)
  const pages = readPages(file)
  const write = (progress: Progress) =>
    writeNewFile(target, replace, toFailure, async (partial) => {
      const source = openForReading(file)
      try {
        source.exec('BEGIN')
        const last = lastSeq(source)
        const first = baseSeq(source)
        const events = last - first - readNumber(source, FORGOTTEN_ROWS)
        await copy({ source, file, partial, target, job, progress })
        return { path: target, bytes: statSync(partial).size, events, last_seq: last }
      } finally {
        source.close()
      }
    })
  if (!existsSync(history)) return write((done) => job.progress(done, pages * 2))
  const more = readPages(history)
  const total = (pages + more) * 2
  const path = historyBackup(target)
  return writeNewFile(path, replace, toFailure, async (partial) => {
    const source = openToRead(history)
    try {
      source.exec('BEGIN; SELECT 1 FROM sqlite_schema')
      await copy({
        source,
        file: history,
        partial,
        target,
        job,
        progress: (done) => job.progress(done, total),
      })
    } finally {
      source.close()
    }
    const reply = await write((done) => job.progress(more * 2 + done, total))
    return { ...reply, history: { path, bytes: statSync(partial).size } }
  })
}

/** Past sessions, and the files of sessions, are beside the store. */
const HISTORY = 'history.db'
const ORIGINALS = 'originals'

const withoutEnding = (target: string): string => target.replace(/\.db$/, '')

/** The copy of past sessions stands beside the copy of the store: `copy.db` and `copy.history.db`. */
const historyBackup = (target: string): string => `${withoutEnding(target)}.history.db`

/** Gets how many of twice the pages are done: checking a copy takes about as long as making it. */
type Progress = (done: number) => void

function readPages(file: string): number {
  const db = openToRead(file)
  try {
    return readNumber(db, 'PRAGMA page_count')
  } finally {
    db.close()
  }
}

interface Copying {
  readonly source: DatabaseSync
  readonly file: string
  readonly partial: string
  readonly target: string
  readonly job: Job
  readonly progress: Progress
}

async function copy({ source, file, partial, target, job, progress }: Copying): Promise<void> {
  const pages = readNumber(source, 'PRAGMA page_count')
  await copyPages(source, partial, {
    rate: PAGES_A_STEP,
    progress: ({ totalPages, remainingPages }) => {
      progress(totalPages - remainingPages)
      if (job.stopped()) throw stoppedFailure(target)
    },
  })
  const wrong = await checkCopy(partial, (part) => progress(pages + Math.floor(pages * part)), job.stopped)
  if (job.stopped()) throw stoppedFailure(target)
  if (wrong !== null) throw damagedFailure(file, target, wrong)
}

const damagedFailure = (file: string, target: string, wrong: string): Refused =>
  new Refused(
    failure(
      'corrupt',
      `${file} is damaged (${wrong}), so ${target} was not written. Keep your existing backups. "panoptes rescue FILE" recovers what is readable.`,
    ),
  )

const LOOK_EVERY_MS = 50
/** The check reads this many bytes per byte of the file, since it reads most pages twice. */
const READS_A_BYTE = 1.8

/**
 * The check runs in a process of its own, because it is a single call that a thread could neither stop nor
 * report on.
 */
const SCRIPT = `
const { DatabaseSync } = require('node:sqlite')
let said
try {
  const row = new DatabaseSync(process.argv[1], { readOnly: true }).prepare('PRAGMA quick_check(1)').get()
  said = String(Object.values(row)[0])
} catch (error) {
  said = error.message
}
process.stdout.write(said)
`

/**
 * Runs SQLite's own check of a file and returns the problems found. `read` goes from 0 to 1 on systems that
 * report it.
 */
async function checkCopy(
  file: string,
  read: (part: number) => void,
  stopped: Job['stopped'],
): Promise<string | null> {
  const bytes = statSync(file).size
  read(0)
  const child = spawn(process.execPath, ['-e', SCRIPT, file], { stdio: ['ignore', 'pipe', 'ignore'] })
  const look = setInterval(() => {
    if (stopped()) child.kill('SIGKILL')
    else read(Math.min(bytesRead(child.pid) / (bytes * READS_A_BYTE), 1))
  }, LOOK_EVERY_MS)
  try {
    const output = await readOutput(child)
    return output.trim() === 'ok' ? null : (output.trim().split('\n').at(-1) ?? '')
  } finally {
    clearInterval(look)
  }
}

function readOutput(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    child.once('error', reject)
    child.once('close', () => resolve(text))
  })
}

/** Linux reports how much a process has read. Elsewhere the progress stands still until the check is over. */
function bytesRead(pid: number | undefined): number {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
