import { realpath } from 'node:fs/promises'
import type { BackupReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import type { Access } from '../daemon/access.ts'
import { interruptible } from '../daemon/signals.ts'
import { remoteWork } from '../daemon/work.ts'
import { orFail } from '../failure.ts'
import { targetOf } from '../target.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'
import { counted, size } from '../terminal/words.ts'
import { noteDone } from './migrate/space.ts'
import { type NamedLedger, withNamedLedger } from './named-ledger.ts'

interface BackupOptions extends NamedLedger {
  readonly force?: boolean | undefined
}

export async function backup(context: Context, file: string, options: BackupOptions): Promise<void> {
  const target = await targetOf(context, file, options)
  // A link is followed, not replaced.
  const real = await realpath(target).catch(() => target)
  const progress = startProgress(context.output, 'Copied and checked')
  const { signal, done } = interruptible()
  try {
    const asked = { path: real, replace: options.force === true }
    const reply = await withNamedLedger(context, options, (access) =>
      copy(context, access, asked, progress, signal),
    )
    progress.end()
    const said = `${counted(reply.events, 'event')}, ${size(reply.bytes)}, in ${target}`
    context.output.answer([said], { ok: true, ...reply, path: target })
  } finally {
    progress.end()
    done()
  }
}

async function copy(
  context: Context,
  access: Access,
  asked: { readonly path: string; readonly replace: boolean },
  progress: Progress,
  signal: AbortSignal,
): Promise<BackupReply> {
  const { path, replace } = asked
  if (access.kind === 'daemon') {
    return remoteWork<BackupReply>(access.client, '/api/backup', asked, progress, signal)
  }
  const made = orFail(await access.ledger.backup(path, { replace, onProgress: progress.update, signal }))
  // A hub writes it down itself.
  if (access.place.kind === 'postgres')
    await noteDone(context, access.place, { action: 'backup', target: path })
  return made
}
