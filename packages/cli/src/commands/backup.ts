import { realpath } from 'node:fs/promises'
import type { BackupReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import type { Access } from '../daemon/access.ts'
import { interruptible } from '../daemon/signals.ts'
import { remoteWork } from '../daemon/work.ts'
import { orFail } from '../failure.ts'
import { resolveTarget } from '../output-file.ts'
import { plural, size } from '../terminal/format.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'
import { printDone } from './migrate/space.ts'
import { type StoreOptions, withNamedStore } from './store-option.ts'

interface BackupOptions extends StoreOptions {
  readonly force?: boolean | undefined
}

export async function backup(context: Context, file: string, options: BackupOptions): Promise<void> {
  const target = await resolveTarget(context, file, options)
  // Links are followed, not replaced.
  const real = await realpath(target).catch(() => target)
  const progress = startProgress(context.output, 'Copied and checked')
  const { signal, done } = interruptible()
  try {
    const request = { path: real, replace: options.force === true }
    const reply = await withNamedStore(context, options, (access) =>
      copy(context, access, request, progress, signal),
    )
    progress.end()
    const { history, originals } = reply
    const summary = [
      `${plural(reply.events, 'event')}, ${size(reply.bytes)}, in ${target}`,
      ...(history === undefined ? [] : [`Past sessions, ${size(history.bytes)}, in ${history.path}`]),
      ...(originals === undefined
        ? []
        : [
            `Files of ${plural(originals.sessions, 'session')}, ${size(originals.bytes)}, in ${originals.path}. They contain secrets.`,
          ]),
    ]
    context.output.answer(summary, { ok: true, ...reply, path: target })
  } finally {
    progress.end()
    done()
  }
}

async function copy(
  context: Context,
  access: Access,
  request: { readonly path: string; readonly replace: boolean },
  progress: Progress,
  signal: AbortSignal,
): Promise<BackupReply> {
  const { path, replace } = request
  if (access.kind === 'daemon') {
    return remoteWork<BackupReply>(access.client, '/api/backup', request, progress, signal)
  }
  const made = orFail(await access.store.backup(path, { replace, onProgress: progress.update, signal }))
  // A running hub records the backup itself.
  if (access.place.kind === 'postgres')
    await printDone(context, access.place, { action: 'backup', target: path })
  return made
}
