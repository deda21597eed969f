import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { restoreSpace } from '@panoptes/engine/store'
import type { Context } from '../../context.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure, EXIT, orFail } from '../../failure.ts'
import { plural } from '../../terminal/format.ts'
import { startProgress } from '../../terminal/progress.ts'
import type { StoreOptions } from '../store-option.ts'
import { makeSpace, refuseFilled, refuseHubs, resolveSpace } from './space.ts'

/** Restores a backup into a new or empty space. */
export async function restore(context: Context, file: string, options: StoreOptions): Promise<void> {
  const place = await resolveSpace(context, { address: options.store, space: options.space })
  if (place === null) throw fileStoreFailure(context, file)
  await requireFile(file)
  await refuseFilled(place, 'Name another space with --space.')
  await refuseHubs(place)
  const progress = startProgress(context.output, 'Events applied')
  const { signal, done } = interruptible()
  try {
    const result = orFail(await restoreSpace(resolve(file), place, { signal, onProgress: progress.update }))
    progress.end()
    const people = await makeSpace(context, place, {
      action: 'restore',
      target: `${plural(result.events, 'event')} of ${basename(file)}`,
    })
    context.output.answer(
      [`${plural(result.events, 'event')} restored into the space ${place.space}`, ...people],
      { ok: true, space: place.space, ...result },
    )
  } finally {
    progress.end()
    done()
  }
}

async function requireFile(file: string): Promise<void> {
  if (await stat(file).catch(() => undefined)) return
  throw new CommandFailure(`${file} does not exist`, { code: 'not_found', next: 'Check the name.' })
}

/** A backup consists of up to three parts beside each other. */
function fileStoreFailure({ paths }: Context, file: string): CommandFailure {
  const stem = file.replace(/\.db$/, '')
  const parts = [
    [file, paths.store],
    [`${stem}.history.db`, paths.history],
    [`${stem}.originals`, paths.originals],
  ] as const
  const there = parts.filter(([part]) => part === file || existsSync(part))
  return new CommandFailure('No database is set, and the store of this computer is a file', {
    code: 'usage',
    next: `To restore a file: stop Panoptes, then copy ${there.map(([part, target]) => `${part} to ${target}`).join(', and ')}. For a team, pass --store postgres://….`,
    exit: EXIT.usage,
  })
}
