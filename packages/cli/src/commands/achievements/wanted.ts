import { resolve } from 'node:path'
import { achievementsView, check, timeZone } from '@panoptes/schema'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import type { Wanted } from './access.ts'

/** What every command of achievements may be told. */
export interface ViewOptions {
  readonly source?: string | undefined
  readonly hermesDb?: string | undefined
  readonly tz?: string | undefined
}

export function wantedOf({ source = 'all', hermesDb, tz }: ViewOptions): Wanted {
  const view = check(achievementsView, source)
  if (!view.ok) throw wrong(`--source ${source} is not known`, 'Give all or hermes.')
  if (tz !== undefined && !check(timeZone, tz).ok)
    throw wrong(`There is no time zone ${tz}`, 'Give one like Europe/Berlin or UTC.')
  if (hermesDb === '') throw wrong('--hermes-db names no file', 'Give the path of a state.db of Hermes.')
  return { source: view.value, hermesDb: hermesDb === undefined ? undefined : resolve(hermesDb), tz }
}

const wrong = (message: string, next: string): CommandFailure =>
  new CommandFailure(message, { code: 'usage', next, exit: EXIT.usage })
