import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup as copyPages } from 'node:sqlite'
import type { Job } from '@panoptes/engine/threads'
import type { BackupReply } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { failureOf, Refusal } from './failures.ts'
import { makeFolder } from './make-folder.ts'
import { openForReading } from './open-file.ts'
import { baseSeq, lastSeq } from './writer.ts'

const PAGES_A_STEP = 1_000

/** Copies one moment of the ledger. The open read transaction holds that moment while appends go on. */
export async function backup(file: string, target: string, job: Job): Promise<BackupReply> {
  if (existsSync(target))
    throw new Refusal(
      failure('invalid', `${target} exists already. Choose another name, or move it away first.`),
    )
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

async function copy(file: string, partial: string, target: string, job: Job): Promise<BackupReply> {
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
  }
}

/** What fails is nearly always the copy; a damaged page can only be the ledger's own. */
function refusalOf(error: unknown, target: string): unknown {
  if (error instanceof Refusal) return error
  const told = failureOf(error, target)
  if (told.code === 'corrupt') return error
  if (told.code === 'disk_full') return new Refusal(told)
  const why = error instanceof Error ? error.message : String(error)
  return new Refusal(
    failure(told.code, `${target} could not be written: ${why}. Choose another place for the copy.`),
  )
}
