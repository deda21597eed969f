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

const fileStoreFailure = ({ paths }: Context, file: string): CommandFailure =>
  new CommandFailure('No database is set, and the store of this computer is a file', {
    code: 'usage',
    next: `To restore a file: stop Panoptes, then copy ${file} to ${paths.store}. For a team, pass --store postgres://….`,
    exit: EXIT.usage,
  })
