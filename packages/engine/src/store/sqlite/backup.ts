import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { backup as copyPages } from 'node:sqlite'
import { type Job, Refused } from '@panoptes/engine/worker-rpc'
import type { BackupReply } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { asNewFile, stoppedBefore } from '../new-file.ts'
import { toFailure } from './failures.ts'
import { FORGOTTEN_ROWS, readNumber } from './migrations.ts'
import { openForReading } from './open-file.ts'
import { baseSeq, lastSeq } from './writer.ts'

const PAGES_A_STEP = 1_000

/**
 * Copies one snapshot of the store and checks the copy. The open read transaction holds the snapshot while
 * appends continue.
 */
export const backup = (file: string, target: string, replace: boolean, job: Job): Promise<BackupReply> =>
  asNewFile(target, replace, toFailure, (partial) => copy(file, partial, target, job))

async function copy(file: string, partial: string, target: string, job: Job): Promise<BackupReply> {
  const source = openForReading(file)
  try {
    source.exec('BEGIN')
    const last = lastSeq(source)
    const first = baseSeq(source)
    const events = last - first - readNumber(source, FORGOTTEN_ROWS)
    const pages = readNumber(source, 'PRAGMA page_count')
    await copyPages(source, partial, {
      rate: PAGES_A_STEP,
      progress: ({ totalPages, remainingPages }) => {
        // Checking the copy takes about as long again.
        job.progress(totalPages - remainingPages, pages * 2)
        if (job.stopped()) throw stoppedBefore(target)
      },
    })
    const wrong = await checkCopy(
      partial,
      (part) => job.progress(pages + Math.floor(pages * part), pages * 2),
      job.stopped,
    )
    if (job.stopped()) throw stoppedBefore(target)
    if (wrong !== null) throw damaged(file, target, wrong)
    return { path: target, bytes: statSync(partial).size, events, last_seq: last }
  } finally {
    source.close()
  }
}

const damaged = (file: string, target: string, wrong: string): Refused =>
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
