import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BackupReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { type Access, withLedger } from '../daemon/access.ts'
import { interruptible } from '../daemon/signals.ts'
import { remoteWork } from '../daemon/work.ts'
import { CommandFailure, orFail } from '../failure.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'
import { count, size } from '../terminal/words.ts'

export async function backup(context: Context, file: string, options: { force?: boolean }): Promise<void> {
  const target = resolve(file)
  if (existsSync(target) && !options.force) throw exists(target)
  const progress = startProgress(context.output, 'Pages copied and checked')
  const { signal, done } = interruptible()
  try {
    const reply = await withLedger(context, (access) =>
      replacing(target, () => copy(access, target, progress, signal)),
    )
    progress.end()
    const said = `${count(reply.events)} events, ${size(reply.bytes)}, in ${reply.path}`
    context.output.answer([said], { ok: true, ...reply })
  } finally {
    progress.end()
    done()
  }
}

export const exists = (file: string): CommandFailure =>
  new CommandFailure(`${file} is there already`, {
    code: 'exists',
    next: 'Choose another name, or replace it with --force.',
  })

async function copy(
  access: Access,
  file: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<BackupReply> {
  if (access.kind === 'daemon') {
    return remoteWork<BackupReply>(access.client, '/api/backup', { path: file }, progress, signal)
  }
  return orFail(await access.ledger.backup(file, { onProgress: progress.update, signal }))
}

/** What was there before goes only when the new copy is whole. */
async function replacing<T>(file: string, write: () => Promise<T>): Promise<T> {
  if (!existsSync(file)) return write()
  const old = `${file}.old-${process.pid}`
  await rename(file, old)
  try {
    const written = await write()
    await rm(old, { force: true })
    return written
  } catch (error) {
    await rename(old, file)
    throw error
  }
}
