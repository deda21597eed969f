import { statSync } from 'node:fs'
import { backup as copyPages } from 'node:sqlite'
import type { Job } from '@panoptes/engine/threads'
import { Refused } from '@panoptes/engine/threads'
import type { BackupReply } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { asNewFile, stoppedBefore } from '../new-file.ts'
import { checkCopy } from './check-copy.ts'
import { failureOf } from './failures.ts'
import { numberOf } from './migrations.ts'
import { openForReading } from './open-file.ts'
import { baseSeq, lastSeq } from './writer.ts'

const PAGES_A_STEP = 1_000

/** Copies one moment of the ledger and checks the copy. The open read transaction holds that moment while appends go on. */
export const backup = (file: string, target: string, replace: boolean, job: Job): Promise<BackupReply> =>
  asNewFile(target, replace, failureOf, (partial) => copy(file, partial, target, job))

async function copy(file: string, partial: string, target: string, job: Job): Promise<BackupReply> {
  const source = openForReading(file)
  try {
    source.exec('BEGIN')
    const last = lastSeq(source)
    const first = baseSeq(source)
    const pages = numberOf(source, 'PRAGMA page_count')
    await copyPages(source, partial, {
      rate: PAGES_A_STEP,
      progress: ({ totalPages, remainingPages }) => {
        // To check it takes about as long again.
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
    return { path: target, bytes: statSync(partial).size, events: last - first, last_seq: last }
  } finally {
    source.close()
  }
}

const damaged = (file: string, target: string, wrong: string): Refused =>
  new Refused(
    failure(
      'corrupt',
      `${file} is damaged (${wrong}), so ${target} was not written. Keep the backups you have; "panoptes export FILE" saves the events that can still be read.`,
    ),
  )
