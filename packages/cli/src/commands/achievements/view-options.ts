import { resolve } from 'node:path'
import { achievementsView, check, timeZone } from '@panoptes/schema'
import { usageFailure } from '../../failure.ts'
import type { AchievementsQuery } from './access.ts'

/** The options that all achievement commands share. */
export interface ViewOptions {
  readonly source?: string | undefined
  readonly hermesDb?: string | undefined
  readonly tz?: string | undefined
}

export function parseViewOptions({ source = 'all', hermesDb, tz }: ViewOptions): AchievementsQuery {
  const view = check(achievementsView, source)
  if (!view.ok) throw usageFailure(`Unknown --source: ${source}`, 'Use all or hermes.')
  if (tz !== undefined && !check(timeZone, tz).ok)
    throw usageFailure(`Unknown time zone: ${tz}`, 'Use one like Europe/Berlin or UTC.')
  if (hermesDb === '') throw usageFailure('--hermes-db is empty', 'Pass the path of a Hermes state.db.')
  return { source: view.value, hermesDb: hermesDb === undefined ? undefined : resolve(hermesDb), tz }
}
