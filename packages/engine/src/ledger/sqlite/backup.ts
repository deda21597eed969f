import { closeSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup as copyPages } from 'node:sqlite'
import type { Job } from '@panoptes/engine/threads'
import { Refused } from '@panoptes/engine/threads'
import type { BackupReply } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { checkCopy } from './check-copy.ts'
import { failureOf } from './failures.ts'
import { makeFolder } from './make-folder.ts'
import { numberOf } from './migrations.ts'
import { openForReading } from './open-file.ts'
import { baseSeq, lastSeq } from './writer.ts'

const PAGES_A_STEP = 1_000

/** Copies one moment of the ledger and checks the copy. The open read transaction holds that moment while appends go on. */
export async function backup(file: string, target: string, replace: boolean, job: Job): Promise<BackupReply> {
  const there = lstatSync(target, { throwIfNoEntry: false })
  if (there && !replace) throw taken(`${target} exists already`)
  if (there && !there.isFile()) throw taken(`${target} is not a regular file and cannot be replaced`)
  const partial = `${target}.${process.pid}.partial`
  try {
    makeFolder(dirname(target))
    closeSync(openSync(partial, 'wx', 0o600))
  } catch (error) {
    throw refusalOf(error, target)
  }
  try {
    return await copy(file, partial, target, job)
  } catch (error) {
    throw refusalOf(error, target)
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${partial}${end}`, { force: true })
  }
}

const taken = (what: string): Refused =>
  new Refused(failure('invalid', `${what}. Choose another name, or move it away first.`))

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
    const bytes = statSync(partial).size
    renameSync(partial, target)
    return { path: target, bytes, events: last - first, last_seq: last }
  } finally {
    source.close()
  }
}

const stoppedBefore = (target: string): Refused =>
  new Refused(failure('stopped', `Stopped; ${target} was not written.`))

const damaged = (file: string, target: string, wrong: string): Refused =>
  new Refused(
    failure(
      'corrupt',
      `${file} is damaged (${wrong}), so ${target} was not written. Keep the backups you have; "panoptes export FILE" saves the events that can still be read.`,
    ),
  )

/** What fails is nearly always the copy; a damaged page can only be the ledger's own. */
function refusalOf(error: unknown, target: string): unknown {
  if (error instanceof Refused) return error
  const told = failureOf(error, target)
  if (told.code === 'corrupt') return error
  if (told.code === 'disk_full') return new Refused(told)
  const why = error instanceof Error ? error.message : String(error)
  return new Refused(
    failure(told.code, `${target} could not be written: ${why}. Choose another place for the copy.`),
  )
}
