import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup as copyPages } from 'node:sqlite'
import type { BackupReply } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { Refusal } from './failures.ts'
import { openForReading } from './open-file.ts'
import type { Job } from './slices.ts'
import { baseSeq, lastSeq } from './writer.ts'

const PAGES_A_STEP = 1_000

/** Copies one moment of the ledger. The open read transaction holds that moment while appends go on. */
export async function backup(file: string, target: string, job: Job): Promise<BackupReply> {
  if (existsSync(target))
    throw new Refusal(
      failure('invalid', `${target} exists already. Choose another name, or move it away first.`),
    )
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const partial = `${target}.${process.pid}.partial`
  const source = openForReading(file)
  try {
    source.exec('BEGIN')
    const last = lastSeq(source)
    const first = baseSeq(source)
    await copyPages(source, partial, {
      rate: PAGES_A_STEP,
      progress: ({ totalPages, remainingPages }) => {
        job.progress(totalPages - remainingPages, totalPages)
        if (job.stopped()) throw new Refusal(failure('stopped', `Stopped; ${target} was not written.`))
      },
    })
    const bytes = statSync(partial).size
    renameSync(partial, target)
    return { path: target, bytes, events: last - first, last_seq: last }
  } finally {
    source.close()
    rmSync(partial, { force: true })
  }
}
