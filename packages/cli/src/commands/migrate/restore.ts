import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { restoreSpace } from '@panoptes/engine/ledger'
import type { Context } from '../../context.ts'
import { interruptible } from '../../daemon/signals.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { startProgress } from '../../terminal/progress.ts'
import { counted } from '../../terminal/words.ts'
import { makeSpace, refuseFilled, refuseHubs, spaceOf } from './space.ts'

export interface RestoreOptions {
  readonly ledger?: string | undefined
  readonly space?: string | undefined
}

/** A backup of a space as a space that is not there yet, or is empty. */
export async function restore(context: Context, file: string, options: RestoreOptions): Promise<void> {
  const place = await spaceOf(context, { address: options.ledger, space: options.space })
  if (place === null) throw ofFile(context, file)
  await orNoFile(file)
  await refuseFilled(place, 'Name another space with --space.')
  await refuseHubs(place)
  const progress = startProgress(context.output, 'Events folded')
  const { signal, done } = interruptible()
  try {
    const told = orFail(await restoreSpace(resolve(file), place, { signal, onProgress: progress.update }))
    progress.end()
    const people = await makeSpace(context, place, {
      action: 'restore',
      target: `${counted(told.events, 'event')} of ${basename(file)}`,
    })
    context.output.answer(
      [`${counted(told.events, 'event')} restored into the space ${place.space}`, ...people],
      { ok: true, space: place.space, ...told },
    )
  } finally {
    progress.end()
    done()
  }
}

async function orNoFile(file: string): Promise<void> {
  if (await stat(file).catch(() => undefined)) return
  throw new CommandFailure(`There is no file ${file}`, { code: 'not_found', next: 'Check the name.' })
}

const ofFile = ({ paths }: Context, file: string): CommandFailure =>
  new CommandFailure('No database is named, and the ledger of this computer is a file', {
    code: 'usage',
    next: `For that: stop Panoptes, then copy ${file} to ${paths.ledger}. For a team, name the database with --ledger postgres://….`,
    exit: EXIT.usage,
  })
